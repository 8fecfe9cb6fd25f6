"""How the pictures of the maps are painted."""
