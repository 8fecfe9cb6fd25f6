<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.8" tiledversion="1.8.2" name="stones" tilewidth="32" tileheight="32" tilecount="8" columns="8">
 <image source="stones.png" width="256" height="32" />
 <tile id="0" type="block" />
 <tile id="1" type="slope">
  <objectgroup draworder="index">
   <object id="1" x="0" y="32">
    <polygon points="0,0 32,-32 32,0" />
   </object>
  </objectgroup>
 </tile>
 <tile id="2" type="boulder">
  <objectgroup draworder="index">
   <object id="1" x="3" y="3" width="26" height="26">
    <ellipse />
   </object>
  </objectgroup>
 </tile>
 <tile id="3" type="plank">
  <objectgroup draworder="index">
   <object id="1" x="0" y="0" width="32" height="10" />
  </objectgroup>
 </tile>
 <tile id="4" type="beam">
  <objectgroup draworder="index">
   <object id="1" x="3.5" y="3" width="32" height="7" rotation="35" />
  </objectgroup>
 </tile>
 <tile id="5" type="gem">
  <objectgroup draworder="index">
   <object id="1" x="10" y="3">
    <polygon points="0,0 12,0 19,13 12,26 0,26 -7,13" />
   </object>
  </objectgroup>
 </tile>
 <tile id="6" type="corner">
  <objectgroup draworder="index">
   <object id="1" x="0" y="0">
    <polygon points="0,0 9,0 9,17 15,23 32,23 32,32 0,32" />
   </object>
  </objectgroup>
 </tile>
 <tile id="7" type="peg">
  <objectgroup draworder="index">
   <object id="1" x="10" y="10" width="12" height="12">
    <ellipse />
   </object>
  </objectgroup>
 </tile>
</tileset>
