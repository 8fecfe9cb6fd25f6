"""What a map holds: layers, objects, tilesets and images; no XML."""
