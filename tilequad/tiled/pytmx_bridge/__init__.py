"""The same map as pytmx.TiledMap, for code that uses pytmx."""
