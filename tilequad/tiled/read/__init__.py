"""The road from a .tmx file to a TileMap, one step a file."""
