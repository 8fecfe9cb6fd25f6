<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.8" tiledversion="1.8.2" name="buildings" tilewidth="160" tileheight="160" tilecount="20" columns="0">
 <grid orientation="orthogonal" width="1" height="1" />
 <tile id="0" type="town_hall">
  <image width="160" height="160" source="town_hall.png" />
 </tile>
 <tile id="1" type="house_red">
  <image width="96" height="96" source="house_red.png" />
 </tile>
 <tile id="2" type="house_blue">
  <image width="96" height="96" source="house_blue.png" />
 </tile>
 <tile id="3" type="house_thatch">
  <image width="96" height="96" source="house_thatch.png" />
 </tile>
 <tile id="4" type="lumber_camp">
  <image width="96" height="96" source="lumber_camp.png" />
 </tile>
 <tile id="5" type="tower">
  <image width="64" height="96" source="tower.png" />
 </tile>
 <tile id="6" type="fire_tower">
  <image width="64" height="96" source="fire_tower.png" />
 </tile>
 <tile id="7" type="mill">
  <image width="96" height="128" source="mill.png" />
  <animation>
   <frame tileid="7" duration="160" />
   <frame tileid="13" duration="160" />
   <frame tileid="14" duration="160" />
   <frame tileid="15" duration="160" />
  </animation>
 </tile>
 <tile id="8" type="well">
  <image width="64" height="64" source="well.png" />
 </tile>
 <tile id="9" type="quarry">
  <image width="96" height="64" source="quarry.png" />
 </tile>
 <tile id="10" type="stall_red">
  <image width="64" height="64" source="stall_red.png" />
 </tile>
 <tile id="11" type="stall_blue">
  <image width="64" height="64" source="stall_blue.png" />
 </tile>
 <tile id="12" type="boat">
  <image width="64" height="32" source="boat.png" />
 </tile>
 <tile id="13" type="mill_1">
  <image width="96" height="128" source="mill_1.png" />
 </tile>
 <tile id="14" type="mill_2">
  <image width="96" height="128" source="mill_2.png" />
 </tile>
 <tile id="15" type="mill_3">
  <image width="96" height="128" source="mill_3.png" />
 </tile>
 <tile id="16" type="frost_tower">
  <image width="64" height="96" source="frost_tower.png" />
 </tile>
 <tile id="17" type="mortar">
  <image width="64" height="64" source="mortar.png" />
 </tile>
 <tile id="18" type="gold_mine">
  <image width="64" height="64" source="gold_mine.png" />
 </tile>
 <tile id="19" type="palisade">
  <image width="32" height="48" source="palisade.png" />
 </tile>
</tileset>
