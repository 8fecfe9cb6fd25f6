<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.8" tiledversion="1.8.2" name="effects" tilewidth="24" tileheight="24" tilecount="24" columns="12">
 <image source="effects.png" width="288" height="48" />
 <tile id="0" type="arrow" />
 <tile id="1" type="bolt" />
 <tile id="2" type="axe" />
 <tile id="3" type="wood" />
 <tile id="4" type="dust_0" />
 <tile id="5" type="dust_1" />
 <tile id="6" type="dust_2" />
 <tile id="7" type="dust_3" />
 <tile id="8" type="spark_0" />
 <tile id="9" type="spark_1" />
 <tile id="10" type="spark_2" />
 <tile id="11" type="white" />
 <tile id="12" type="frost" />
 <tile id="13" type="ball" />
 <tile id="14" type="gold" />
 <tile id="15" type="stone" />
</tileset>
