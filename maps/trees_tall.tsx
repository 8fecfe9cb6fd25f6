<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.8" tiledversion="1.8.2" name="trees_tall" tilewidth="64" tileheight="96" tilecount="16" columns="8">
 <tileoffset x="-16" y="0" />
 <image source="trees_tall.png" width="512" height="192" />
 <tile id="0" type="oak_0">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="80" />
   <property name="stump" type="int" value="10" />
  </properties>
 </tile>
 <tile id="1" type="oak_1">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="80" />
   <property name="stump" type="int" value="10" />
  </properties>
 </tile>
 <tile id="2" type="lime">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="80" />
   <property name="stump" type="int" value="10" />
  </properties>
 </tile>
 <tile id="3" type="autumn_oak">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="80" />
   <property name="stump" type="int" value="10" />
  </properties>
 </tile>
 <tile id="4" type="cherry">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="80" />
   <property name="stump" type="int" value="10" />
  </properties>
 </tile>
 <tile id="5" type="apple">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="80" />
   <property name="stump" type="int" value="10" />
  </properties>
 </tile>
 <tile id="6" type="pine_0">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="80" />
   <property name="stump" type="int" value="10" />
  </properties>
 </tile>
 <tile id="7" type="pine_1">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="80" />
   <property name="stump" type="int" value="10" />
  </properties>
 </tile>
 <tile id="8" type="fir">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="80" />
   <property name="stump" type="int" value="10" />
  </properties>
 </tile>
 <tile id="9" type="birch">
  <properties>
   <property name="resource" value="wood" />
   <property name="amount" type="int" value="80" />
   <property name="stump" type="int" value="11" />
  </properties>
 </tile>
 <tile id="10" type="stump" />
 <tile id="11" type="birch_stump" />
</tileset>
