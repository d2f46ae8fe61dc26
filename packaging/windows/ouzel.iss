; Inno Setup's recipe: an installer for one user, without an administrator. ISCC /DVersion=0.1.0 ouzel.iss, after dev.py bundle.
#ifndef Version
  #error Give the version: /DVersion=...
#endif

[Setup]
AppId={{8C3D8B1E-5B0E-4E2B-9E4C-2F6B7A1D90C5}
AppName=Ouzel
AppVersion={#Version}
AppPublisher=The Ouzel authors
DefaultDirName={autopf}\Ouzel
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
LicenseFile=..\..\LICENSE
SetupIconFile=..\..\build\bundle\ouzel.ico
UninstallDisplayIcon={app}\ouzelw.exe
OutputDir=..\..\dist
OutputBaseFilename=ouzel-{#Version}-windows-x64-setup
Compression=lzma2
SolidCompression=yes
CloseApplications=yes

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "de"; MessagesFile: "compiler:Languages\German.isl"

[Tasks]
Name: "desktop"; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked

[InstallDelete]
; A newer version brings all its files; what only the older one had must not be found beside them.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "..\..\dist\ouzel\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{autoprograms}\Ouzel"; Filename: "{app}\ouzelw.exe"
Name: "{autodesktop}\Ouzel"; Filename: "{app}\ouzelw.exe"; Tasks: desktop

[Run]
Filename: "{app}\ouzelw.exe"; Description: "{cm:LaunchProgram,Ouzel}"; Flags: nowait postinstall skipifsilent
