"""Batches by slot, asked with items: what a `_many` answers as the spelling for one would."""


def targets_of(targeting, seekers, now, **options):
    """The targets of seekers by `target_many`; None for a seeker without one."""
    return asked(targeting.units, targeting.target_many, seekers, now, **options)


def finds_of(search, seekers, now):
    """What seekers find by `search_many`, None where it is nothing."""
    return asked(search.units, search.search_many, seekers, now)


def asked(units, ask, seekers, *args, **options):
    """The answers to a batch, as items."""
    found = ask([units.slot(seeker) for seeker in seekers], *args, **options)
    assert len(found) == len(seekers)
    return units.items(found)
