<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.8" tiledversion="1.8.2" name="trees_small" tilewidth="32" tileheight="64" tilecount="8" columns="8">
 <image source="trees_small.png" width="256" height="64" />
 <tile id="0" type="small_pine">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="40" />
   <property name="stump" type="int" value="5" />
  </properties>
 </tile>
 <tile id="1" type="small_fir">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="40" />
   <property name="stump" type="int" value="5" />
  </properties>
 </tile>
 <tile id="2" type="small_birch">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="40" />
   <property name="stump" type="int" value="5" />
  </properties>
 </tile>
 <tile id="3" type="sapling">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="40" />
   <property name="stump" type="int" value="5" />
  </properties>
 </tile>
 <tile id="4" type="autumn_sapling">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="40" />
   <property name="stump" type="int" value="5" />
  </properties>
 </tile>
 <tile id="5" type="small_stump" />
</tileset>
