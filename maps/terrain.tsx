<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.8" tiledversion="1.8.2" name="terrain" tilewidth="32" tileheight="32" tilecount="208" columns="16">
 <image source="terrain.png" width="512" height="416" />
 <tile id="0" type="grass" />
 <tile id="1" type="grass" />
 <tile id="2" type="grass" />
 <tile id="3" type="grass" />
 <tile id="4" type="grass" />
 <tile id="5" type="grass" />
 <tile id="6" type="grass" />
 <tile id="7" type="grass" />
 <tile id="8" type="meadow" />
 <tile id="9" type="meadow" />
 <tile id="10" type="meadow" />
 <tile id="11" type="meadow" />
 <tile id="12" type="meadow" />
 <tile id="13" type="meadow" />
 <tile id="14" type="meadow" />
 <tile id="15" type="meadow" />
 <tile id="16" type="meadow" />
 <tile id="17" type="meadow" />
 <tile id="18" type="meadow" />
 <tile id="19" type="meadow" />
 <tile id="20" type="meadow" />
 <tile id="21" type="meadow" />
 <tile id="22" type="meadow" probability="5" />
 <tile id="23" type="meadow" />
 <tile id="24" type="meadow" />
 <tile id="25" type="meadow" />
 <tile id="26" type="moss" />
 <tile id="27" type="moss" />
 <tile id="28" type="moss" />
 <tile id="29" type="moss" />
 <tile id="30" type="moss" />
 <tile id="31" type="moss" />
 <tile id="32" type="moss" />
 <tile id="33" type="moss" />
 <tile id="34" type="moss" />
 <tile id="35" type="moss" />
 <tile id="36" type="moss" />
 <tile id="37" type="moss" />
 <tile id="38" type="moss" />
 <tile id="39" type="moss" />
 <tile id="40" type="moss" />
 <tile id="41" type="moss" />
 <tile id="42" type="moss" />
 <tile id="43" type="moss" />
 <tile id="44" type="moss" />
 <tile id="45" type="moss" />
 <tile id="46" type="moss" />
 <tile id="47" type="moss" />
 <tile id="48" type="moss" />
 <tile id="49" type="moss" />
 <tile id="50" type="moss" />
 <tile id="51" type="moss" />
 <tile id="52" type="moss" />
 <tile id="53" type="moss" />
 <tile id="54" type="moss" probability="5" />
 <tile id="55" type="moss" />
 <tile id="56" type="moss" />
 <tile id="57" type="moss" />
 <tile id="58" type="water" />
 <tile id="59" type="water" />
 <tile id="60" type="water" />
 <tile id="61" type="water" />
 <tile id="62" type="water" />
 <tile id="63" type="water" />
 <tile id="64" type="water" />
 <tile id="65" type="water" />
 <tile id="66" type="water" />
 <tile id="67" type="water" />
 <tile id="68" type="water" />
 <tile id="69" type="water" />
 <tile id="70" type="water">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="71" type="water">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="72" type="water" />
 <tile id="73" type="water" />
 <tile id="74" type="water" />
 <tile id="75" type="water" />
 <tile id="76" type="water" />
 <tile id="77" type="water" />
 <tile id="78" type="water">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="79" type="water">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="80" type="water" />
 <tile id="81" type="water" />
 <tile id="82" type="water">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="83" type="water">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="84" type="water">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="85" type="water">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="86" type="water" probability="4">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="87" type="water">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
  <animation>
   <frame tileid="87" duration="420" />
   <frame tileid="188" duration="420" />
   <frame tileid="189" duration="420" />
   <frame tileid="190" duration="420" />
  </animation>
 </tile>
 <tile id="88" type="water">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
  <animation>
   <frame tileid="88" duration="420" />
   <frame tileid="191" duration="420" />
   <frame tileid="192" duration="420" />
   <frame tileid="193" duration="420" />
  </animation>
 </tile>
 <tile id="89" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="90" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="91" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="92" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="93" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="94" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="95" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="96" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="97" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="98" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="99" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="100" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="101" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="102" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="103" type="deep" probability="4">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="104" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="105" type="deep">
  <properties>
   <property name="solid" type="bool" value="true" />
  </properties>
 </tile>
 <tile id="106" type="dirt" />
 <tile id="107" type="dirt" />
 <tile id="108" type="dirt" />
 <tile id="109" type="dirt" />
 <tile id="110" type="dirt" />
 <tile id="111" type="dirt" />
 <tile id="112" type="dirt" />
 <tile id="113" type="dirt" />
 <tile id="114" type="dirt" />
 <tile id="115" type="dirt" />
 <tile id="116" type="dirt" />
 <tile id="117" type="dirt" />
 <tile id="118" type="dirt" />
 <tile id="119" type="dirt" />
 <tile id="120" type="dirt" />
 <tile id="121" type="dirt" />
 <tile id="122" type="dirt" />
 <tile id="123" type="dirt" />
 <tile id="124" type="dirt" />
 <tile id="125" type="dirt" />
 <tile id="126" type="dirt" />
 <tile id="127" type="dirt" />
 <tile id="128" type="dirt" />
 <tile id="129" type="dirt" />
 <tile id="130" type="dirt" />
 <tile id="131" type="dirt" />
 <tile id="132" type="dirt" />
 <tile id="133" type="dirt" />
 <tile id="134" type="dirt" probability="5" />
 <tile id="135" type="dirt" />
 <tile id="136" type="dirt" />
 <tile id="137" type="dirt" />
 <tile id="138" type="cobble" />
 <tile id="139" type="cobble" />
 <tile id="140" type="cobble" />
 <tile id="141" type="cobble" />
 <tile id="142" type="cobble" />
 <tile id="143" type="cobble" />
 <tile id="144" type="cobble" />
 <tile id="145" type="cobble" />
 <tile id="146" type="cobble" />
 <tile id="147" type="cobble" />
 <tile id="148" type="cobble" />
 <tile id="149" type="cobble" />
 <tile id="150" type="cobble" />
 <tile id="151" type="cobble" />
 <tile id="152" type="cobble" probability="4" />
 <tile id="153" type="cobble" />
 <tile id="154" type="cobble" />
 <tile id="155" type="bridge_top" />
 <tile id="156" type="bridge_middle" />
 <tile id="157" type="bridge_bottom" />
 <tile id="158" type="tuft" />
 <tile id="159" type="tuft" />
 <tile id="160" type="tuft" />
 <tile id="161" type="tuft" />
 <tile id="162" type="flowers_red" />
 <tile id="163" type="flowers_white" />
 <tile id="164" type="flowers_yellow" />
 <tile id="165" type="flowers_blue" />
 <tile id="166" type="flowers_pink" />
 <tile id="167" type="bush" />
 <tile id="168" type="bush_red" />
 <tile id="169" type="bush_blue" />
 <tile id="170" type="rock" />
 <tile id="171" type="rocks" />
 <tile id="172" type="pebbles" />
 <tile id="173" type="mushrooms" />
 <tile id="174" type="reeds" />
 <tile id="175" type="reeds" />
 <tile id="176" type="lilies" />
 <tile id="177" type="lilies" />
 <tile id="178" type="fern" />
 <tile id="179" type="log" />
 <tile id="180" type="wheat" />
 <tile id="181" type="cabbage" />
 <tile id="182" type="sown" />
 <tile id="183" type="fence" />
 <tile id="184" type="fence_upright" />
 <tile id="185" type="hay" />
 <tile id="186" type="barrels" />
 <tile id="187" type="foundation" />
 <tile id="188" type="ripples" />
 <tile id="189" type="ripples" />
 <tile id="190" type="ripples" />
 <tile id="191" type="ripples" />
 <tile id="192" type="ripples" />
 <tile id="193" type="ripples" />
 <wangsets>
  <wangset name="meadow" type="corner" tile="-1">
   <wangcolor name="meadow" color="#94ba54" tile="22" probability="1" />
   <wangtile tileid="8" wangid="0,0,0,0,0,0,0,1" />
   <wangtile tileid="9" wangid="0,1,0,0,0,0,0,0" />
   <wangtile tileid="10" wangid="0,1,0,0,0,0,0,1" />
   <wangtile tileid="11" wangid="0,0,0,1,0,0,0,0" />
   <wangtile tileid="12" wangid="0,0,0,1,0,0,0,1" />
   <wangtile tileid="13" wangid="0,1,0,1,0,0,0,0" />
   <wangtile tileid="14" wangid="0,1,0,1,0,0,0,1" />
   <wangtile tileid="15" wangid="0,0,0,0,0,1,0,0" />
   <wangtile tileid="16" wangid="0,0,0,0,0,1,0,1" />
   <wangtile tileid="17" wangid="0,1,0,0,0,1,0,0" />
   <wangtile tileid="18" wangid="0,1,0,0,0,1,0,1" />
   <wangtile tileid="19" wangid="0,0,0,1,0,1,0,0" />
   <wangtile tileid="20" wangid="0,0,0,1,0,1,0,1" />
   <wangtile tileid="21" wangid="0,1,0,1,0,1,0,0" />
   <wangtile tileid="22" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="23" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="24" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="25" wangid="0,1,0,1,0,1,0,1" />
  </wangset>
  <wangset name="moss" type="corner" tile="-1">
   <wangcolor name="moss" color="#62923f" tile="54" probability="1" />
   <wangtile tileid="26" wangid="0,0,0,0,0,0,0,1" />
   <wangtile tileid="27" wangid="0,0,0,0,0,0,0,1" />
   <wangtile tileid="28" wangid="0,1,0,0,0,0,0,0" />
   <wangtile tileid="29" wangid="0,1,0,0,0,0,0,0" />
   <wangtile tileid="30" wangid="0,1,0,0,0,0,0,1" />
   <wangtile tileid="31" wangid="0,1,0,0,0,0,0,1" />
   <wangtile tileid="32" wangid="0,0,0,1,0,0,0,0" />
   <wangtile tileid="33" wangid="0,0,0,1,0,0,0,0" />
   <wangtile tileid="34" wangid="0,0,0,1,0,0,0,1" />
   <wangtile tileid="35" wangid="0,0,0,1,0,0,0,1" />
   <wangtile tileid="36" wangid="0,1,0,1,0,0,0,0" />
   <wangtile tileid="37" wangid="0,1,0,1,0,0,0,0" />
   <wangtile tileid="38" wangid="0,1,0,1,0,0,0,1" />
   <wangtile tileid="39" wangid="0,1,0,1,0,0,0,1" />
   <wangtile tileid="40" wangid="0,0,0,0,0,1,0,0" />
   <wangtile tileid="41" wangid="0,0,0,0,0,1,0,0" />
   <wangtile tileid="42" wangid="0,0,0,0,0,1,0,1" />
   <wangtile tileid="43" wangid="0,0,0,0,0,1,0,1" />
   <wangtile tileid="44" wangid="0,1,0,0,0,1,0,0" />
   <wangtile tileid="45" wangid="0,1,0,0,0,1,0,0" />
   <wangtile tileid="46" wangid="0,1,0,0,0,1,0,1" />
   <wangtile tileid="47" wangid="0,1,0,0,0,1,0,1" />
   <wangtile tileid="48" wangid="0,0,0,1,0,1,0,0" />
   <wangtile tileid="49" wangid="0,0,0,1,0,1,0,0" />
   <wangtile tileid="50" wangid="0,0,0,1,0,1,0,1" />
   <wangtile tileid="51" wangid="0,0,0,1,0,1,0,1" />
   <wangtile tileid="52" wangid="0,1,0,1,0,1,0,0" />
   <wangtile tileid="53" wangid="0,1,0,1,0,1,0,0" />
   <wangtile tileid="54" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="55" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="56" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="57" wangid="0,1,0,1,0,1,0,1" />
  </wangset>
  <wangset name="water" type="corner" tile="-1">
   <wangcolor name="water" color="#4898bc" tile="86" probability="1" />
   <wangtile tileid="58" wangid="0,0,0,0,0,0,0,1" />
   <wangtile tileid="59" wangid="0,0,0,0,0,0,0,1" />
   <wangtile tileid="60" wangid="0,1,0,0,0,0,0,0" />
   <wangtile tileid="61" wangid="0,1,0,0,0,0,0,0" />
   <wangtile tileid="62" wangid="0,1,0,0,0,0,0,1" />
   <wangtile tileid="63" wangid="0,1,0,0,0,0,0,1" />
   <wangtile tileid="64" wangid="0,0,0,1,0,0,0,0" />
   <wangtile tileid="65" wangid="0,0,0,1,0,0,0,0" />
   <wangtile tileid="66" wangid="0,0,0,1,0,0,0,1" />
   <wangtile tileid="67" wangid="0,0,0,1,0,0,0,1" />
   <wangtile tileid="68" wangid="0,1,0,1,0,0,0,0" />
   <wangtile tileid="69" wangid="0,1,0,1,0,0,0,0" />
   <wangtile tileid="70" wangid="0,1,0,1,0,0,0,1" />
   <wangtile tileid="71" wangid="0,1,0,1,0,0,0,1" />
   <wangtile tileid="72" wangid="0,0,0,0,0,1,0,0" />
   <wangtile tileid="73" wangid="0,0,0,0,0,1,0,0" />
   <wangtile tileid="74" wangid="0,0,0,0,0,1,0,1" />
   <wangtile tileid="75" wangid="0,0,0,0,0,1,0,1" />
   <wangtile tileid="76" wangid="0,1,0,0,0,1,0,0" />
   <wangtile tileid="77" wangid="0,1,0,0,0,1,0,0" />
   <wangtile tileid="78" wangid="0,1,0,0,0,1,0,1" />
   <wangtile tileid="79" wangid="0,1,0,0,0,1,0,1" />
   <wangtile tileid="80" wangid="0,0,0,1,0,1,0,0" />
   <wangtile tileid="81" wangid="0,0,0,1,0,1,0,0" />
   <wangtile tileid="82" wangid="0,0,0,1,0,1,0,1" />
   <wangtile tileid="83" wangid="0,0,0,1,0,1,0,1" />
   <wangtile tileid="84" wangid="0,1,0,1,0,1,0,0" />
   <wangtile tileid="85" wangid="0,1,0,1,0,1,0,0" />
   <wangtile tileid="86" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="87" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="88" wangid="0,1,0,1,0,1,0,1" />
  </wangset>
  <wangset name="deep" type="corner" tile="-1">
   <wangcolor name="deep" color="#347aa8" tile="103" probability="1" />
   <wangtile tileid="89" wangid="0,0,0,0,0,0,0,1" />
   <wangtile tileid="90" wangid="0,1,0,0,0,0,0,0" />
   <wangtile tileid="91" wangid="0,1,0,0,0,0,0,1" />
   <wangtile tileid="92" wangid="0,0,0,1,0,0,0,0" />
   <wangtile tileid="93" wangid="0,0,0,1,0,0,0,1" />
   <wangtile tileid="94" wangid="0,1,0,1,0,0,0,0" />
   <wangtile tileid="95" wangid="0,1,0,1,0,0,0,1" />
   <wangtile tileid="96" wangid="0,0,0,0,0,1,0,0" />
   <wangtile tileid="97" wangid="0,0,0,0,0,1,0,1" />
   <wangtile tileid="98" wangid="0,1,0,0,0,1,0,0" />
   <wangtile tileid="99" wangid="0,1,0,0,0,1,0,1" />
   <wangtile tileid="100" wangid="0,0,0,1,0,1,0,0" />
   <wangtile tileid="101" wangid="0,0,0,1,0,1,0,1" />
   <wangtile tileid="102" wangid="0,1,0,1,0,1,0,0" />
   <wangtile tileid="103" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="104" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="105" wangid="0,1,0,1,0,1,0,1" />
  </wangset>
  <wangset name="dirt" type="corner" tile="-1">
   <wangcolor name="dirt" color="#c8a472" tile="134" probability="1" />
   <wangtile tileid="106" wangid="0,0,0,0,0,0,0,1" />
   <wangtile tileid="107" wangid="0,0,0,0,0,0,0,1" />
   <wangtile tileid="108" wangid="0,1,0,0,0,0,0,0" />
   <wangtile tileid="109" wangid="0,1,0,0,0,0,0,0" />
   <wangtile tileid="110" wangid="0,1,0,0,0,0,0,1" />
   <wangtile tileid="111" wangid="0,1,0,0,0,0,0,1" />
   <wangtile tileid="112" wangid="0,0,0,1,0,0,0,0" />
   <wangtile tileid="113" wangid="0,0,0,1,0,0,0,0" />
   <wangtile tileid="114" wangid="0,0,0,1,0,0,0,1" />
   <wangtile tileid="115" wangid="0,0,0,1,0,0,0,1" />
   <wangtile tileid="116" wangid="0,1,0,1,0,0,0,0" />
   <wangtile tileid="117" wangid="0,1,0,1,0,0,0,0" />
   <wangtile tileid="118" wangid="0,1,0,1,0,0,0,1" />
   <wangtile tileid="119" wangid="0,1,0,1,0,0,0,1" />
   <wangtile tileid="120" wangid="0,0,0,0,0,1,0,0" />
   <wangtile tileid="121" wangid="0,0,0,0,0,1,0,0" />
   <wangtile tileid="122" wangid="0,0,0,0,0,1,0,1" />
   <wangtile tileid="123" wangid="0,0,0,0,0,1,0,1" />
   <wangtile tileid="124" wangid="0,1,0,0,0,1,0,0" />
   <wangtile tileid="125" wangid="0,1,0,0,0,1,0,0" />
   <wangtile tileid="126" wangid="0,1,0,0,0,1,0,1" />
   <wangtile tileid="127" wangid="0,1,0,0,0,1,0,1" />
   <wangtile tileid="128" wangid="0,0,0,1,0,1,0,0" />
   <wangtile tileid="129" wangid="0,0,0,1,0,1,0,0" />
   <wangtile tileid="130" wangid="0,0,0,1,0,1,0,1" />
   <wangtile tileid="131" wangid="0,0,0,1,0,1,0,1" />
   <wangtile tileid="132" wangid="0,1,0,1,0,1,0,0" />
   <wangtile tileid="133" wangid="0,1,0,1,0,1,0,0" />
   <wangtile tileid="134" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="135" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="136" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="137" wangid="0,1,0,1,0,1,0,1" />
  </wangset>
  <wangset name="cobble" type="corner" tile="-1">
   <wangcolor name="cobble" color="#b6aea0" tile="152" probability="1" />
   <wangtile tileid="138" wangid="0,0,0,0,0,0,0,1" />
   <wangtile tileid="139" wangid="0,1,0,0,0,0,0,0" />
   <wangtile tileid="140" wangid="0,1,0,0,0,0,0,1" />
   <wangtile tileid="141" wangid="0,0,0,1,0,0,0,0" />
   <wangtile tileid="142" wangid="0,0,0,1,0,0,0,1" />
   <wangtile tileid="143" wangid="0,1,0,1,0,0,0,0" />
   <wangtile tileid="144" wangid="0,1,0,1,0,0,0,1" />
   <wangtile tileid="145" wangid="0,0,0,0,0,1,0,0" />
   <wangtile tileid="146" wangid="0,0,0,0,0,1,0,1" />
   <wangtile tileid="147" wangid="0,1,0,0,0,1,0,0" />
   <wangtile tileid="148" wangid="0,1,0,0,0,1,0,1" />
   <wangtile tileid="149" wangid="0,0,0,1,0,1,0,0" />
   <wangtile tileid="150" wangid="0,0,0,1,0,1,0,1" />
   <wangtile tileid="151" wangid="0,1,0,1,0,1,0,0" />
   <wangtile tileid="152" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="153" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="154" wangid="0,1,0,1,0,1,0,1" />
  </wangset>
  <wangset name="ground" type="corner" tile="-1">
   <wangcolor name="grass" color="#7eae4c" tile="0" probability="1" />
   <wangcolor name="meadow" color="#94ba54" tile="22" probability="1" />
   <wangcolor name="moss" color="#62923f" tile="54" probability="1" />
   <wangcolor name="water" color="#4898bc" tile="86" probability="1" />
   <wangcolor name="deep" color="#347aa8" tile="103" probability="1" />
   <wangtile tileid="0" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="1" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="2" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="3" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="4" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="5" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="6" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="7" wangid="0,1,0,1,0,1,0,1" />
   <wangtile tileid="8" wangid="0,1,0,1,0,1,0,2" />
   <wangtile tileid="9" wangid="0,2,0,1,0,1,0,1" />
   <wangtile tileid="10" wangid="0,2,0,1,0,1,0,2" />
   <wangtile tileid="11" wangid="0,1,0,2,0,1,0,1" />
   <wangtile tileid="12" wangid="0,1,0,2,0,1,0,2" />
   <wangtile tileid="13" wangid="0,2,0,2,0,1,0,1" />
   <wangtile tileid="14" wangid="0,2,0,2,0,1,0,2" />
   <wangtile tileid="15" wangid="0,1,0,1,0,2,0,1" />
   <wangtile tileid="16" wangid="0,1,0,1,0,2,0,2" />
   <wangtile tileid="17" wangid="0,2,0,1,0,2,0,1" />
   <wangtile tileid="18" wangid="0,2,0,1,0,2,0,2" />
   <wangtile tileid="19" wangid="0,1,0,2,0,2,0,1" />
   <wangtile tileid="20" wangid="0,1,0,2,0,2,0,2" />
   <wangtile tileid="21" wangid="0,2,0,2,0,2,0,1" />
   <wangtile tileid="22" wangid="0,2,0,2,0,2,0,2" />
   <wangtile tileid="23" wangid="0,2,0,2,0,2,0,2" />
   <wangtile tileid="24" wangid="0,2,0,2,0,2,0,2" />
   <wangtile tileid="25" wangid="0,2,0,2,0,2,0,2" />
   <wangtile tileid="26" wangid="0,1,0,1,0,1,0,3" />
   <wangtile tileid="27" wangid="0,1,0,1,0,1,0,3" />
   <wangtile tileid="28" wangid="0,3,0,1,0,1,0,1" />
   <wangtile tileid="29" wangid="0,3,0,1,0,1,0,1" />
   <wangtile tileid="30" wangid="0,3,0,1,0,1,0,3" />
   <wangtile tileid="31" wangid="0,3,0,1,0,1,0,3" />
   <wangtile tileid="32" wangid="0,1,0,3,0,1,0,1" />
   <wangtile tileid="33" wangid="0,1,0,3,0,1,0,1" />
   <wangtile tileid="34" wangid="0,1,0,3,0,1,0,3" />
   <wangtile tileid="35" wangid="0,1,0,3,0,1,0,3" />
   <wangtile tileid="36" wangid="0,3,0,3,0,1,0,1" />
   <wangtile tileid="37" wangid="0,3,0,3,0,1,0,1" />
   <wangtile tileid="38" wangid="0,3,0,3,0,1,0,3" />
   <wangtile tileid="39" wangid="0,3,0,3,0,1,0,3" />
   <wangtile tileid="40" wangid="0,1,0,1,0,3,0,1" />
   <wangtile tileid="41" wangid="0,1,0,1,0,3,0,1" />
   <wangtile tileid="42" wangid="0,1,0,1,0,3,0,3" />
   <wangtile tileid="43" wangid="0,1,0,1,0,3,0,3" />
   <wangtile tileid="44" wangid="0,3,0,1,0,3,0,1" />
   <wangtile tileid="45" wangid="0,3,0,1,0,3,0,1" />
   <wangtile tileid="46" wangid="0,3,0,1,0,3,0,3" />
   <wangtile tileid="47" wangid="0,3,0,1,0,3,0,3" />
   <wangtile tileid="48" wangid="0,1,0,3,0,3,0,1" />
   <wangtile tileid="49" wangid="0,1,0,3,0,3,0,1" />
   <wangtile tileid="50" wangid="0,1,0,3,0,3,0,3" />
   <wangtile tileid="51" wangid="0,1,0,3,0,3,0,3" />
   <wangtile tileid="52" wangid="0,3,0,3,0,3,0,1" />
   <wangtile tileid="53" wangid="0,3,0,3,0,3,0,1" />
   <wangtile tileid="54" wangid="0,3,0,3,0,3,0,3" />
   <wangtile tileid="55" wangid="0,3,0,3,0,3,0,3" />
   <wangtile tileid="56" wangid="0,3,0,3,0,3,0,3" />
   <wangtile tileid="57" wangid="0,3,0,3,0,3,0,3" />
   <wangtile tileid="58" wangid="0,1,0,1,0,1,0,4" />
   <wangtile tileid="59" wangid="0,1,0,1,0,1,0,4" />
   <wangtile tileid="60" wangid="0,4,0,1,0,1,0,1" />
   <wangtile tileid="61" wangid="0,4,0,1,0,1,0,1" />
   <wangtile tileid="62" wangid="0,4,0,1,0,1,0,4" />
   <wangtile tileid="63" wangid="0,4,0,1,0,1,0,4" />
   <wangtile tileid="64" wangid="0,1,0,4,0,1,0,1" />
   <wangtile tileid="65" wangid="0,1,0,4,0,1,0,1" />
   <wangtile tileid="66" wangid="0,1,0,4,0,1,0,4" />
   <wangtile tileid="67" wangid="0,1,0,4,0,1,0,4" />
   <wangtile tileid="68" wangid="0,4,0,4,0,1,0,1" />
   <wangtile tileid="69" wangid="0,4,0,4,0,1,0,1" />
   <wangtile tileid="70" wangid="0,4,0,4,0,1,0,4" />
   <wangtile tileid="71" wangid="0,4,0,4,0,1,0,4" />
   <wangtile tileid="72" wangid="0,1,0,1,0,4,0,1" />
   <wangtile tileid="73" wangid="0,1,0,1,0,4,0,1" />
   <wangtile tileid="74" wangid="0,1,0,1,0,4,0,4" />
   <wangtile tileid="75" wangid="0,1,0,1,0,4,0,4" />
   <wangtile tileid="76" wangid="0,4,0,1,0,4,0,1" />
   <wangtile tileid="77" wangid="0,4,0,1,0,4,0,1" />
   <wangtile tileid="78" wangid="0,4,0,1,0,4,0,4" />
   <wangtile tileid="79" wangid="0,4,0,1,0,4,0,4" />
   <wangtile tileid="80" wangid="0,1,0,4,0,4,0,1" />
   <wangtile tileid="81" wangid="0,1,0,4,0,4,0,1" />
   <wangtile tileid="82" wangid="0,1,0,4,0,4,0,4" />
   <wangtile tileid="83" wangid="0,1,0,4,0,4,0,4" />
   <wangtile tileid="84" wangid="0,4,0,4,0,4,0,1" />
   <wangtile tileid="85" wangid="0,4,0,4,0,4,0,1" />
   <wangtile tileid="86" wangid="0,4,0,4,0,4,0,4" />
   <wangtile tileid="87" wangid="0,4,0,4,0,4,0,4" />
   <wangtile tileid="88" wangid="0,4,0,4,0,4,0,4" />
   <wangtile tileid="89" wangid="0,4,0,4,0,4,0,5" />
   <wangtile tileid="90" wangid="0,5,0,4,0,4,0,4" />
   <wangtile tileid="91" wangid="0,5,0,4,0,4,0,5" />
   <wangtile tileid="92" wangid="0,4,0,5,0,4,0,4" />
   <wangtile tileid="93" wangid="0,4,0,5,0,4,0,5" />
   <wangtile tileid="94" wangid="0,5,0,5,0,4,0,4" />
   <wangtile tileid="95" wangid="0,5,0,5,0,4,0,5" />
   <wangtile tileid="96" wangid="0,4,0,4,0,5,0,4" />
   <wangtile tileid="97" wangid="0,4,0,4,0,5,0,5" />
   <wangtile tileid="98" wangid="0,5,0,4,0,5,0,4" />
   <wangtile tileid="99" wangid="0,5,0,4,0,5,0,5" />
   <wangtile tileid="100" wangid="0,4,0,5,0,5,0,4" />
   <wangtile tileid="101" wangid="0,4,0,5,0,5,0,5" />
   <wangtile tileid="102" wangid="0,5,0,5,0,5,0,4" />
   <wangtile tileid="103" wangid="0,5,0,5,0,5,0,5" />
   <wangtile tileid="104" wangid="0,5,0,5,0,5,0,5" />
   <wangtile tileid="105" wangid="0,5,0,5,0,5,0,5" />
  </wangset>
 </wangsets>
</tileset>
