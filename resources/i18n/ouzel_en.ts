<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en">
<context>
    <name>OtherWork</name>
    <message numerus="yes">
        <source>Answering %n request(s) of other programs</source>
        <translation>
            <numerusform>Answering %n request of another program</numerusform>
            <numerusform>Answering %n requests of other programs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message numerus="yes">
        <source>%n setting(s) that are not shown differ from the usual.</source>
        <translation>
            <numerusform>%n setting that is not shown differs from the usual.</numerusform>
            <numerusform>%n settings that are not shown differ from the usual.</numerusform>
        </translation>
    </message>
</context>
</TS>
