<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>AboutPage</name>
    <message>
        <source>Ouzel</source>
        <translation>Ouzel</translation>
    </message>
    <message>
        <source>Ouzel {0}</source>
        <translation>Ouzel {0}</translation>
    </message>
    <message>
        <source>Qt {0}, PySide6 {1}</source>
        <translation>Qt {0}, PySide6 {1}</translation>
    </message>
    <message>
        <source>Nothing leaves this computer: no telemetry, and no request that you did not ask for.</source>
        <translation>Nichts verlässt diesen Computer: keine Telemetrie und keine Anfrage, die nicht ausdrücklich verlangt wurde.</translation>
    </message>
    <message>
        <source>Works that Ouzel is made of</source>
        <translation>Woraus Ouzel besteht</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Ouzel: Apache-2.0</source>
        <translation>Ouzel: Apache-2.0</translation>
    </message>
    <message>
        <source>Works of others</source>
        <translation>Werke anderer</translation>
    </message>
    <message>
        <source>The package brings no text of its licence. Its home: {0}</source>
        <translation>Das Paket enthält keinen Lizenztext. Seine Heimat: {0}</translation>
    </message>
</context>
<context>
    <name>Answers</name>
    <message>
        <source>{0} tokens/s</source>
        <translation>{0} Token/s</translation>
    </message>
    <message>
        <source>{0} tokens</source>
        <translation>{0} Token</translation>
    </message>
    <message>
        <source>first after {0} s</source>
        <translation>erstes nach {0} s</translation>
    </message>
    <message>
        <source>{0}% cache hits</source>
        <translation>{0} % Cache-Treffer</translation>
    </message>
    <message>
        <source>{0} read</source>
        <translation>{0} gelesen</translation>
    </message>
    <message>
        <source>{0} of {1} drafts kept</source>
        <translation>{0} von {1} Entwürfen übernommen</translation>
    </message>
    <message>
        <source>about {0} s saved</source>
        <translation>etwa {0} s gespart</translation>
    </message>
    <message>
        <source>about {0} s lost by them</source>
        <translation>etwa {0} s durch sie verloren</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Cut at the longest length that is set</source>
        <translation>An der eingestellten Höchstlänge abgeschnitten</translation>
    </message>
    <message>
        <source>Cut: the context is full</source>
        <translation>Abgeschnitten: Der Kontext ist voll</translation>
    </message>
    <message>
        <source>Ended by an error</source>
        <translation>Durch einen Fehler beendet</translation>
    </message>
</context>
<context>
    <name>AnswersPage</name>
    <message>
        <source>Answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>The model&apos;s own ({0})</source>
        <translation>Wie vom Modell vorgesehen ({0})</translation>
    </message>
    <message>
        <source>How freely words are drawn; 0 always takes the likeliest one</source>
        <translation>Wie frei Wörter gewählt werden; bei 0 immer das wahrscheinlichste</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Draw from the likeliest tokens that together have this probability; 1 is off</source>
        <translation>Aus den wahrscheinlichsten Token wählen, die zusammen diese Wahrscheinlichkeit haben; 1 schaltet ab</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Draw from this many of the likeliest tokens; 0 is off</source>
        <translation>Aus so vielen der wahrscheinlichsten Token wählen; 0 schaltet ab</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Leave out tokens that are less likely than this share of the likeliest one; 0 is off</source>
        <translation>Token weglassen, die unwahrscheinlicher sind als dieser Anteil des wahrscheinlichsten; 0 schaltet ab</translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>Above 1, words that occurred already become less likely; 1 is off</source>
        <translation>Über 1 werden Wörter unwahrscheinlicher, die schon vorkamen; 1 schaltet ab</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>Wiederholungsstrafe</translation>
    </message>
    <message>
        <source>1, since the temperature is 0</source>
        <translation>1, weil die Temperatur 0 ist</translation>
    </message>
    <message>
        <source>Tokens after which an answer is cut</source>
        <translation>Anzahl der Token, nach der eine Antwort abgeschnitten wird</translation>
    </message>
    <message>
        <source>Until the answer ends</source>
        <translation>Bis zum Ende der Antwort</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>Längste Antwort</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Token</translation>
    </message>
    <message>
        <source>A new one for each answer</source>
        <translation>Für jede Antwort ein neuer</translation>
    </message>
    <message>
        <source>The same seed, settings and conversation give the same answer</source>
        <translation>Gleicher Startwert, gleiche Einstellungen und gleiche Unterhaltung ergeben die gleiche Antwort</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>What the model should know or how it should answer</source>
        <translation>Was das Modell wissen oder wie es antworten soll</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>System-Prompt</translation>
    </message>
</context>
<context>
    <name>Attachments</name>
    <message>
        <source>{0} is no file. Attach single files.</source>
        <translation>{0} ist keine Datei. Bitte einzelne Dateien anhängen.</translation>
    </message>
    <message>
        <source>{0} is larger than {1} MB. Attach a part of it.</source>
        <translation>{0} ist größer als {1} MB. Bitte einen Teil davon anhängen.</translation>
    </message>
    <message>
        <source>{0} cannot be read ({1}). Check its permissions.</source>
        <translation>{0} lässt sich nicht lesen ({1}). Bitte die Zugriffsrechte prüfen.</translation>
    </message>
    <message>
        <source>{0} has no text. A scanned PDF needs text recognition first.</source>
        <translation>{0} enthält keinen Text. Ein gescanntes PDF braucht zuerst eine Texterkennung.</translation>
    </message>
    <message>
        <source>{0} has more than {1} characters of text. Attach a part of it.</source>
        <translation>{0} enthält mehr als {1} Zeichen Text. Bitte einen Teil davon anhängen.</translation>
    </message>
    <message>
        <source>{0} is no text in UTF-8. Attach text, code or PDF files.</source>
        <translation>{0} ist kein Text in UTF-8. Anhängen lassen sich Text-, Code- und PDF-Dateien.</translation>
    </message>
    <message>
        <source>{0} is no text. Attach text, code or PDF files.</source>
        <translation>{0} ist kein Text. Anhängen lassen sich Text-, Code- und PDF-Dateien.</translation>
    </message>
    <message>
        <source>{0} is protected by a password. Remove it, then attach the file again.</source>
        <translation>{0} ist durch ein Passwort geschützt. Bitte das Passwort entfernen und die Datei erneut anhängen.</translation>
    </message>
    <message>
        <source>{0} is no PDF that can be read ({1}).</source>
        <translation>{0} ist kein lesbares PDF ({1}).</translation>
    </message>
</context>
<context>
    <name>Attention</name>
    <message>
        <source>The answer is ready.</source>
        <translation>Die Antwort ist fertig.</translation>
    </message>
    <message>
        <source>The answer could not be finished.</source>
        <translation>Die Antwort konnte nicht beendet werden.</translation>
    </message>
</context>
<context>
    <name>CarefulStart</name>
    <message>
        <source>Ouzel did not end properly last time: it was opening {0}.</source>
        <translation>Ouzel wurde zuletzt nicht ordentlich beendet: Gerade wurde {0} geöffnet.</translation>
    </message>
    <message>
        <source>Ouzel did not end properly last time: it was working with {0}.</source>
        <translation>Ouzel wurde zuletzt nicht ordentlich beendet: Gerade wurde mit {0} gearbeitet.</translation>
    </message>
    <message>
        <source>Ouzel did not end properly last time.</source>
        <translation>Ouzel wurde zuletzt nicht ordentlich beendet.</translation>
    </message>
    <message>
        <source>Start carefully?</source>
        <translation>Vorsichtig starten?</translation>
    </message>
    <message>
        <source>Your chats are saved. If it happens again, open no model, or open it with the usual engine settings.</source>
        <translation>Die Chats sind gespeichert. Falls es wieder geschieht: kein Modell öffnen, oder es mit den üblichen Engine-Einstellungen öffnen.</translation>
    </message>
    <message>
        <source>Open the model</source>
        <translation>Modell öffnen</translation>
    </message>
    <message>
        <source>Open no model</source>
        <translation>Kein Modell öffnen</translation>
    </message>
    <message>
        <source>Open no model, usual settings</source>
        <translation>Kein Modell, übliche Einstellungen</translation>
    </message>
</context>
<context>
    <name>Catalogue</name>
    <message>
        <source>A small model whose training data and code are open too; quick, and good for a first try.</source>
        <translation>Ein kleines Modell, bei dem auch Trainingsdaten und Code offen sind; schnell und gut für einen ersten Versuch.</translation>
    </message>
    <message>
        <source>OpenAI&apos;s smaller open model; it thinks before it answers.</source>
        <translation>OpenAIs kleineres offenes Modell; es denkt nach, bevor es antwortet.</translation>
    </message>
    <message>
        <source>Google&apos;s all-round model for many languages; its text part runs here.</source>
        <translation>Googles Allround-Modell für viele Sprachen; hier läuft sein Textteil.</translation>
    </message>
    <message>
        <source>An all-round model that uses few weights for each token, so it is quick for its size.</source>
        <translation>Ein Allround-Modell, das für jedes Token wenige Gewichte braucht und deshalb für seine Größe schnell ist.</translation>
    </message>
    <message>
        <source>Made for long texts: its memory hardly grows with them.</source>
        <translation>Für lange Texte gemacht: Sein Speicherbedarf wächst kaum mit ihnen.</translation>
    </message>
    <message>
        <source>Large, but it uses as few weights for each token as much smaller ones.</source>
        <translation>Groß, braucht aber für jedes Token so wenige Gewichte wie viel kleinere Modelle.</translation>
    </message>
    <message>
        <source>Z.ai&apos;s middle model, strong at programming and at using tools.</source>
        <translation>Z.ais mittleres Modell, stark beim Programmieren und im Umgang mit Werkzeugen.</translation>
    </message>
    <message>
        <source>OpenAI&apos;s larger open model; it thinks before it answers.</source>
        <translation>OpenAIs größeres offenes Modell; es denkt nach, bevor es antwortet.</translation>
    </message>
    <message>
        <source>A very large all-round model that can think before it answers.</source>
        <translation>Ein sehr großes Allround-Modell, das vor der Antwort nachdenken kann.</translation>
    </message>
    <message>
        <source>A trillion parameters, published in 4 bits; it thinks at length.</source>
        <translation>Eine Billion Parameter, in 4 Bit veröffentlicht; es denkt ausführlich nach.</translation>
    </message>
    <message>
        <source>The largest one here, published in 4 bits; for patient work on a large drive.</source>
        <translation>Das größte hier, in 4 Bit veröffentlicht; für geduldige Arbeit auf einem großen Laufwerk.</translation>
    </message>
</context>
<context>
    <name>ChatControl</name>
    <message>
        <source>The chat was moved to the trash.</source>
        <translation>Der Chat wurde in den Papierkorb verschoben.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>The message was deleted.</source>
        <translation>Die Nachricht wurde gelöscht.</translation>
    </message>
</context>
<context>
    <name>ChatDelegate</name>
    <message>
        <source>Name of the conversation</source>
        <translation>Name der Unterhaltung</translation>
    </message>
</context>
<context>
    <name>ChatDesk</name>
    <message>
        <source>Copied.</source>
        <translation>Kopiert.</translation>
    </message>
    <message>
        <source>Delete this chat for good? It cannot be brought back.</source>
        <translation>Diesen Chat endgültig löschen? Er lässt sich nicht wiederherstellen.</translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message>
        <source>The chat was copied as Markdown.</source>
        <translation>Der Chat wurde als Markdown kopiert.</translation>
    </message>
    <message>
        <source>The answer is complete.</source>
        <translation>Die Antwort ist vollständig.</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Dateien anhängen</translation>
    </message>
</context>
<context>
    <name>ChatFiles</name>
    <message>
        <source>chats</source>
        <translation>Chats</translation>
    </message>
    <message>
        <source>chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>{0} could not be written ({1}). Choose another place.</source>
        <translation>{0} konnte nicht geschrieben werden ({1}). Bitte einen anderen Ort wählen.</translation>
    </message>
    <message>
        <source>Exported to {0}.</source>
        <translation>Nach {0} exportiert.</translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation>Chats importieren</translation>
    </message>
    <message>
        <source>One chat was imported.</source>
        <translation>Ein Chat wurde importiert.</translation>
    </message>
    <message>
        <source>{0} chats were imported.</source>
        <translation>{0} Chats wurden importiert.</translation>
    </message>
</context>
<context>
    <name>ChatModel</name>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
</context>
<context>
    <name>ChatOptionsDialog</name>
    <message>
        <source>Options of this chat</source>
        <translation>Optionen dieses Chats</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Speichern unter…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Vorlagen</translation>
    </message>
    <message>
        <source>Save these options as a preset</source>
        <translation>Diese Optionen als Vorlage speichern</translation>
    </message>
    <message>
        <source>Remove the chosen preset</source>
        <translation>Die gewählte Vorlage entfernen</translation>
    </message>
    <message>
        <source>What the model should know or how it should answer</source>
        <translation>Was das Modell wissen oder wie es antworten soll</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>System-Prompt</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>How freely words are drawn; 0 always takes the likeliest one</source>
        <translation>Wie frei Wörter gewählt werden; bei 0 immer das wahrscheinlichste</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Draw from the likeliest tokens that together have this probability; 1 is off</source>
        <translation>Aus den wahrscheinlichsten Token wählen, die zusammen diese Wahrscheinlichkeit haben; 1 schaltet ab</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Draw from this many of the likeliest tokens; 0 is off</source>
        <translation>Aus so vielen der wahrscheinlichsten Token wählen; 0 schaltet ab</translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>Leave out tokens that are less likely than this share of the likeliest one; 0 is off</source>
        <translation>Token weglassen, die unwahrscheinlicher sind als dieser Anteil des wahrscheinlichsten; 0 schaltet ab</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>Wiederholungsstrafe</translation>
    </message>
    <message>
        <source>Above 1, words that occurred already become less likely; 1 is off</source>
        <translation>Über 1 werden Wörter unwahrscheinlicher, die schon vorkamen; 1 schaltet ab</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>Längste Antwort</translation>
    </message>
    <message>
        <source>Tokens after which an answer is cut</source>
        <translation>Anzahl der Token, nach der eine Antwort abgeschnitten wird</translation>
    </message>
    <message>
        <source>until the answer ends</source>
        <translation>bis zum Ende der Antwort</translation>
    </message>
    <message>
        <source>a new one for each answer</source>
        <translation>für jede Antwort ein neuer</translation>
    </message>
    <message>
        <source>The same seed, options and conversation give the same answer</source>
        <translation>Gleicher Startwert, gleiche Optionen und gleiche Unterhaltung ergeben die gleiche Antwort</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>One a line; the answer ends where one of them would begin. \n stands for a line break.</source>
        <translation>Eine je Zeile; die Antwort endet, wo eine davon beginnen würde. \n steht für einen Zeilenumbruch.</translation>
    </message>
    <message>
        <source>Stop strings</source>
        <translation>Stoppfolgen</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Nachdenken</translation>
    </message>
    <message>
        <source>As the model does</source>
        <translation>Wie vom Modell vorgesehen</translation>
    </message>
    <message>
        <source>On</source>
        <translation>An</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Whether the model thinks before it answers</source>
        <translation>Ob das Modell vor der Antwort nachdenkt</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Save as a preset</source>
        <translation>Als Vorlage speichern</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
</context>
<context>
    <name>ChatReader</name>
    <message>
        <source>You</source>
        <translation>Ich</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
</context>
<context>
    <name>ChatView</name>
    <message>
        <source>Conversations</source>
        <translation>Unterhaltungen</translation>
    </message>
</context>
<context>
    <name>Chips</name>
    <message>
        <source>Attached files</source>
        <translation>Angehängte Dateien</translation>
    </message>
    <message>
        <source>counting…</source>
        <translation>wird gezählt…</translation>
    </message>
    <message>
        <source>{0} tokens</source>
        <translation>{0} Token</translation>
    </message>
    <message>
        <source>Take {0} off</source>
        <translation>{0} abnehmen</translation>
    </message>
</context>
<context>
    <name>Column</name>
    <message>
        <source>Conversation</source>
        <translation>Unterhaltung</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>A new version of a message that was sent</source>
        <translation>Neue Fassung einer gesendeten Nachricht</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel the new version</source>
        <translation>Neue Fassung verwerfen</translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Dateien anhängen</translation>
    </message>
    <message>
        <source>Think before answering</source>
        <translation>Vor der Antwort nachdenken</translation>
    </message>
    <message>
        <source>Options of this chat</source>
        <translation>Optionen dieses Chats</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Thinks before answering</source>
        <translation>Denkt vor der Antwort nach</translation>
    </message>
    <message>
        <source>Answers without thinking</source>
        <translation>Antwortet ohne nachzudenken</translation>
    </message>
</context>
<context>
    <name>ContextBar</name>
    <message>
        <source>Leave out oldest turns</source>
        <translation>Älteste Beiträge weglassen</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Load with a larger context</source>
        <translation>Mit größerem Kontext laden</translation>
    </message>
    <message>
        <source>The context is full: {0} tokens, and it holds {1} with the answer. What shall be done?</source>
        <translation>Der Kontext ist voll: {0} Token, Platz ist mit der Antwort für {1}. Was soll geschehen?</translation>
    </message>
    <message>
        <source>The message is too long: {0} tokens, and the context holds {1} with the answer. Shorten it.</source>
        <translation>Die Nachricht ist zu lang: {0} Token, der Kontext fasst mit der Antwort {1}. Bitte kürzen.</translation>
    </message>
    <message>
        <source>Load with {0} tokens</source>
        <translation>Mit {0} Token laden</translation>
    </message>
</context>
<context>
    <name>ContextChoice</name>
    <message>
        <source>The last message alone is too long for the context. Shorten it, or load a larger context.</source>
        <translation>Schon die letzte Nachricht ist zu lang für den Kontext. Bitte kürzen oder einen größeren Kontext laden.</translation>
    </message>
    <message>
        <source>There is room only without all earlier turns. Start a new chat, or load a larger context.</source>
        <translation>Platz ist nur ohne alle früheren Beiträge. Bitte einen neuen Chat beginnen oder einen größeren Kontext laden.</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>The prompt has {0} tokens; the context holds {1}, the answer included.</source>
        <translation>Der Prompt hat {0} Token; der Kontext fasst {1}, die Antwort eingeschlossen.</translation>
    </message>
    <message>
        <source>{0} of {1} tokens</source>
        <translation>{0} von {1} Token</translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>Copy this code</source>
        <translation>Diesen Code kopieren</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Something went wrong</source>
        <translation>Etwas ist schiefgegangen</translation>
    </message>
</context>
<context>
    <name>EngineControl</name>
    <message>
        <source>The folder of models was not changed: {0}. Check the drive of {1}.</source>
        <translation>Der Modellordner wurde nicht geändert: {0}. Bitte das Laufwerk von {1} prüfen.</translation>
    </message>
    <message>
        <source>Use {0}</source>
        <translation>{0} verwenden</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Neu versuchen</translation>
    </message>
    <message>
        <source>Locate…</source>
        <translation>Suchen…</translation>
    </message>
</context>
<context>
    <name>EnginePage</name>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Tokens that a conversation can have</source>
        <translation>Anzahl der Token, die eine Unterhaltung haben kann</translation>
    </message>
    <message>
        <source>What fits the memory limit</source>
        <translation>Was in die Speichergrenze passt</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Token</translation>
    </message>
    <message>
        <source>In full</source>
        <translation>Ungekürzt</translation>
    </message>
    <message>
        <source>In 8 bits: half the memory for the same context</source>
        <translation>In 8 Bit: halber Speicher für den gleichen Kontext</translation>
    </message>
    <message>
        <source>Memory of the conversation</source>
        <translation>Gedächtnis der Unterhaltung</translation>
    </message>
    <message>
        <source>Up to {0} GB</source>
        <translation>Bis zu {0} GB</translation>
    </message>
    <message>
        <source>None: read again</source>
        <translation>Keine: neu lesen</translation>
    </message>
    <message>
        <source>Chats ready to go on, on disk</source>
        <translation>Fortsetzbare Chats auf dem Laufwerk</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>One per core</source>
        <translation>Einer je Kern</translation>
    </message>
    <message>
        <source>Threads that compute</source>
        <translation>Threads, die rechnen</translation>
    </message>
    <message>
        <source>Faster where text repeats; the answer is the same</source>
        <translation>Schneller, wo sich Text wiederholt; die Antwort bleibt gleich</translation>
    </message>
    <message>
        <source>Draft ahead from what was written already</source>
        <translation>Aus schon Geschriebenem vorausentwerfen</translation>
    </message>
    <message>
        <source>A small model with the same tokenizer, in memory beside models that it fits; asked where that is measured to gain</source>
        <translation>Ein kleines Modell mit demselben Tokenizer, im Speicher neben Modellen, zu denen es passt; gefragt wird es, wo das gemessen etwas bringt</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keines</translation>
    </message>
    <message>
        <source>Slower, and without rounding of activations to 8 bits</source>
        <translation>Langsamer, dafür ohne Runden der Aktivierungen auf 8 Bit</translation>
    </message>
    <message>
        <source>Exact arithmetic</source>
        <translation>Exakte Arithmetik</translation>
    </message>
    <message>
        <source>These take effect when the model is loaded again; the model bar says so.</source>
        <translation>Dies gilt, sobald das Modell neu geladen ist; die Modellleiste weist darauf hin.</translation>
    </message>
    <message>
        <source>Engine page</source>
        <translation>Engine-Seite</translation>
    </message>
    <message>
        <source>Experts are shown while a model is open.</source>
        <translation>Experten werden gezeigt, solange ein Modell geöffnet ist.</translation>
    </message>
    <message>
        <source>Looking at the experts…</source>
        <translation>Experten werden angesehen…</translation>
    </message>
</context>
<context>
    <name>EngineView</name>
    <message>
        <source>Engine page</source>
        <translation>Engine-Seite</translation>
    </message>
    <message>
        <source>Show or hide the engine from inside ({0})</source>
        <translation>Die Engine von innen zeigen oder verbergen ({0})</translation>
    </message>
</context>
<context>
    <name>Experts</name>
    <message>
        <source>Layer {0}: {1} of {2} experts in memory.</source>
        <translation>Schicht {0}: {1} von {2} Experten im Speicher.</translation>
    </message>
    <message>
        <source>{0} used since the last look, {1} of them in memory now.</source>
        <translation>{0} seit dem letzten Blick gebraucht, {1} davon jetzt im Speicher.</translation>
    </message>
    <message>
        <source>Used most: {0}.</source>
        <translation>Am meisten gebraucht: {0}.</translation>
    </message>
    <message>
        <source>This model has no experts: all of it stays in memory.</source>
        <translation>Dieses Modell hat keine Experten: Es bleibt ganz im Speicher.</translation>
    </message>
    <message>
        <source>{0} of {1} experts are in memory.</source>
        <translation>{0} von {1} Experten sind im Speicher.</translation>
    </message>
    <message>
        <source>{0} were used for the last {1} tokens.</source>
        <translation>{0} wurden für die letzten {1} Token gebraucht.</translation>
    </message>
</context>
<context>
    <name>FoldersPage</name>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern…</translation>
    </message>
    <message>
        <source>Change the folder of models</source>
        <translation>Modellordner ändern</translation>
    </message>
    <message>
        <source>As usual</source>
        <translation>Wie üblich</translation>
    </message>
    <message>
        <source>Keep models in the usual folder</source>
        <translation>Modelle im üblichen Ordner ablegen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open the folder of models</source>
        <translation>Modellordner öffnen</translation>
    </message>
    <message>
        <source>Open the folder of data</source>
        <translation>Datenordner öffnen</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Chats and settings</source>
        <translation>Chats und Einstellungen</translation>
    </message>
    <message>
        <source>New models go there. Those in the folder before stay where they are, and stay listed.</source>
        <translation>Neue Modelle kommen dorthin. Die im bisherigen Ordner bleiben, wo sie sind, und bleiben aufgeführt.</translation>
    </message>
    <message>
        <source>It moves with the environment variable OUZEL_HOME.</source>
        <translation>Verlegen lässt er sich mit der Umgebungsvariable OUZEL_HOME.</translation>
    </message>
    <message>
        <source>This folder cannot be written. New models find no place there.</source>
        <translation>In diesen Ordner lässt sich nicht schreiben. Neue Modelle finden dort keinen Platz.</translation>
    </message>
    <message>
        <source>Folder of models</source>
        <translation>Modellordner</translation>
    </message>
    <message>
        <source>Models cannot be kept in {0}: it is no folder that can be written.</source>
        <translation>In {0} lassen sich keine Modelle ablegen: Das ist kein beschreibbarer Ordner.</translation>
    </message>
</context>
<context>
    <name>Following</name>
    <message>
        <source>Latest</source>
        <translation>Neuestes</translation>
    </message>
    <message>
        <source>Jump to the latest text</source>
        <translation>Zum neuesten Text springen</translation>
    </message>
</context>
<context>
    <name>GaugeStrip</name>
    <message>
        <source>Engine gauges</source>
        <translation>Anzeigen der Engine</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Tokens per second: written ones, or read ones while the prompt is read</source>
        <translation>Token je Sekunde: geschriebene oder, solange der Prompt gelesen wird, gelesene</translation>
    </message>
    <message>
        <source>Cache hits</source>
        <translation>Cache-Treffer</translation>
    </message>
    <message>
        <source>Share of the experts that were in memory when they were needed</source>
        <translation>Anteil der Experten, die im Speicher waren, als sie gebraucht wurden</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Laufwerk</translation>
    </message>
    <message>
        <source>Bytes of experts read from disk per second</source>
        <translation>Bytes von Experten, die je Sekunde vom Laufwerk gelesen werden</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Memory that the engine has allocated by its plan, against its limit</source>
        <translation>Speicher, den die Engine nach ihrem Plan belegt hat, gemessen an ihrer Grenze</translation>
    </message>
    <message>
        <source>Share of the drafted tokens that the model agreed with, and what that gains, by the engine&apos;s estimate</source>
        <translation>Anteil der entworfenen Token, denen das Modell zugestimmt hat, und was das nach Schätzung der Engine bringt</translation>
    </message>
    <message>
        <source>Drafts kept</source>
        <translation>Entwürfe</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>Prompt lesen</translation>
    </message>
</context>
<context>
    <name>Gauges</name>
    <message>
        <source>it stalls, others are read instead</source>
        <translation>es stockt, andere werden stattdessen gelesen</translation>
    </message>
    <message>
        <source>it fails, others are read instead</source>
        <translation>es versagt, andere werden stattdessen gelesen</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>{0}/s while reading</source>
        <translation>{0}/s beim Lesen</translation>
    </message>
    <message>
        <source>{0} read</source>
        <translation>{0} gelesen</translation>
    </message>
    <message>
        <source>{0} errors</source>
        <translation>{0} Fehler</translation>
    </message>
    <message>
        <source>Drafts: {0} of {1} kept, about {2} s saved.</source>
        <translation>Entwürfe: {0} von {1} übernommen, etwa {2} s gespart.</translation>
    </message>
    <message>
        <source>Drafts: {0} of {1} kept, about {2} s lost.</source>
        <translation>Entwürfe: {0} von {1} übernommen, etwa {2} s verloren.</translation>
    </message>
    <message>
        <source>from the text {0} of {1}</source>
        <translation>aus dem Text {0} von {1}</translation>
    </message>
    <message>
        <source>from the draft model {0} of {1}</source>
        <translation>vom Entwurfsmodell {0} von {1}</translation>
    </message>
    <message>
        <source>from the model&apos;s own layers {0} of {1}</source>
        <translation>aus Schichten des Modells selbst {0} von {1}</translation>
    </message>
    <message>
        <source>Experts are read ahead where that is measured to gain.</source>
        <translation>Experten werden vorausgelesen, wo das gemessen etwas bringt.</translation>
    </message>
    <message>
        <source>Read ahead: {0} experts, {1}% of them wanted, {2}% in time.</source>
        <translation>Vorausgelesen: {0} Experten, davon {1} % gebraucht, {2} % rechtzeitig.</translation>
    </message>
    <message>
        <source>It is off now, since it did not gain.</source>
        <translation>Zurzeit ist es aus, weil es nichts brachte.</translation>
    </message>
    <message>
        <source>Draft model: {0}</source>
        <translation>Entwurfsmodell: {0}</translation>
    </message>
    <message>
        <source>Without a draft model: {0}</source>
        <translation>Ohne Entwurfsmodell: {0}</translation>
    </message>
    <message>
        <source>The trunk is locked in memory.</source>
        <translation>Der Stamm ist im Speicher festgehalten.</translation>
    </message>
    <message>
        <source>The trunk is not locked in memory: {0}</source>
        <translation>Der Stamm ist nicht im Speicher festgehalten: {0}</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>Tok/s</translation>
    </message>
    <message>
        <source>% · {0}% faster</source>
        <translation>% · {0} % schneller</translation>
    </message>
    <message>
        <source>% · {0}% slower</source>
        <translation>% · {0} % langsamer</translation>
    </message>
    <message>
        <source>{0}/s</source>
        <translation>{0}/s</translation>
    </message>
    <message>
        <source>of {0}</source>
        <translation>von {0}</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
</context>
<context>
    <name>Groups</name>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
</context>
<context>
    <name>HeatList</name>
    <message>
        <source>Experts of each layer</source>
        <translation>Experten jeder Schicht</translation>
    </message>
</context>
<context>
    <name>HelpHost</name>
    <message>
        <source>Something unexpected went wrong ({0}). Your chats are saved; if it happens again, restart Ouzel.</source>
        <translation>Etwas Unerwartetes ist schiefgegangen ({0}). Die Chats sind gespeichert; falls es wieder geschieht, Ouzel neu starten.</translation>
    </message>
    <message>
        <source>Details…</source>
        <translation>Einzelheiten…</translation>
    </message>
    <message>
        <source>Ouzel crashed the last time that it ran. Your chats are saved.</source>
        <translation>Ouzel ist beim letzten Mal abgestürzt. Die Chats sind gespeichert.</translation>
    </message>
</context>
<context>
    <name>HelpWindow</name>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Pages of the help</source>
        <translation>Seiten der Hilfe</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>About Ouzel</source>
        <translation>Über Ouzel</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
</context>
<context>
    <name>Jobs</name>
    <message>
        <source>Progress of {0}</source>
        <translation>Fortschritt von {0}</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>Jetzt ausführen</translation>
    </message>
    <message>
        <source>Open the documents</source>
        <translation>Dokumente öffnen</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>Entfernen…</translation>
    </message>
    <message>
        <source>Done: {0} answered.</source>
        <translation>Fertig: {0} beantwortet.</translation>
    </message>
    <message>
        <source>{0} could not be answered: is a file too long for the context?</source>
        <translation>{0} nicht beantwortet: Ist eine Datei zu lang für den Kontext?</translation>
    </message>
    <message>
        <source>{0} of {1} answered</source>
        <translation>{0} von {1} beantwortet</translation>
    </message>
    <message>
        <source>{0} tokens/s</source>
        <translation>{0} Token/s</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>waits until {0}</source>
        <translation>wartet bis {0}</translation>
    </message>
    <message>
        <source>waits until nobody has used Ouzel for 10 minutes</source>
        <translation>wartet, bis Ouzel 10 Minuten lang ungenutzt ist</translation>
    </message>
    <message>
        <source>waits for mains power</source>
        <translation>wartet auf Netzstrom</translation>
    </message>
    <message>
        <source>waits for the chat</source>
        <translation>wartet auf den Chat</translation>
    </message>
    <message>
        <source>waits for the model {0}</source>
        <translation>wartet auf das Modell {0}</translation>
    </message>
    <message>
        <source>waits for the job before it</source>
        <translation>wartet auf den Auftrag davor</translation>
    </message>
    <message>
        <source>about a minute left</source>
        <translation>noch etwa eine Minute</translation>
    </message>
    <message>
        <source>about {0} min left</source>
        <translation>noch etwa {0} min</translation>
    </message>
    <message>
        <source>about {0} h left</source>
        <translation>noch etwa {0} h</translation>
    </message>
</context>
<context>
    <name>JobsControl</name>
    <message>
        <source>It waits, since Ouzel did not end properly last time.</source>
        <translation>Angehalten, weil Ouzel zuletzt nicht ordentlich beendet wurde.</translation>
    </message>
    <message>
        <source>{0} was not opened. Open it, then let the job go on.</source>
        <translation>{0} wurde nicht geöffnet. Bitte öffnen und dann den Auftrag fortsetzen.</translation>
    </message>
</context>
<context>
    <name>JobsHost</name>
    <message>
        <source>The job “{0}” is done.</source>
        <translation>Der Auftrag „{0}“ ist fertig.</translation>
    </message>
</context>
<context>
    <name>JobsWindow</name>
    <message>
        <source>Jobs</source>
        <translation>Aufträge</translation>
    </message>
    <message>
        <source>Work that nobody waits for: a prompt alone, or over each of your files. The chat always goes first.</source>
        <translation>Arbeit, auf die niemand wartet: ein Prompt allein oder für jede von mehreren Dateien. Der Chat hat immer Vorrang.</translation>
    </message>
    <message>
        <source>New job…</source>
        <translation>Neuer Auftrag…</translation>
    </message>
    <message>
        <source>New job</source>
        <translation>Neuer Auftrag</translation>
    </message>
    <message>
        <source>Open a model first: it is the one that answers.</source>
        <translation>Bitte zuerst ein Modell öffnen: Es ist das, das antwortet.</translation>
    </message>
    <message>
        <source>The documents in {0} stay.</source>
        <translation>Die Dokumente in {0} bleiben.</translation>
    </message>
    <message>
        <source>Its documents are removed with it.</source>
        <translation>Seine Dokumente werden mit entfernt.</translation>
    </message>
    <message>
        <source>Remove the job?</source>
        <translation>Auftrag entfernen?</translation>
    </message>
    <message>
        <source>Remove the job “{0}”?</source>
        <translation>Den Auftrag „{0}“ entfernen?</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
</context>
<context>
    <name>Keys</name>
    <message>
        <source>in the message field</source>
        <translation>im Nachrichtenfeld</translation>
    </message>
    <message>
        <source>in the conversation</source>
        <translation>in der Unterhaltung</translation>
    </message>
    <message>
        <source>in the side list</source>
        <translation>in der Seitenliste</translation>
    </message>
    <message>
        <source>send the message</source>
        <translation>Nachricht senden</translation>
    </message>
    <message>
        <source>break the line</source>
        <translation>Zeile umbrechen</translation>
    </message>
    <message>
        <source>stop the answer; leave an edit; leave the search</source>
        <translation>Antwort anhalten; Bearbeitung verlassen; Suche verlassen</translation>
    </message>
    <message>
        <source>edit the last message, where the field is empty</source>
        <translation>letzte Nachricht bearbeiten, wenn das Feld leer ist</translation>
    </message>
    <message>
        <source>go to the message field</source>
        <translation>zum Nachrichtenfeld gehen</translation>
    </message>
    <message>
        <source>new chat</source>
        <translation>neuer Chat</translation>
    </message>
    <message>
        <source>search all chats</source>
        <translation>alle Chats durchsuchen</translation>
    </message>
    <message>
        <source>attach files</source>
        <translation>Dateien anhängen</translation>
    </message>
    <message>
        <source>open a model folder</source>
        <translation>Modellordner öffnen</translation>
    </message>
    <message>
        <source>get a model</source>
        <translation>Modell holen</translation>
    </message>
    <message>
        <source>show or hide the side list</source>
        <translation>Seitenliste zeigen oder verbergen</translation>
    </message>
    <message>
        <source>show or hide the engine from inside</source>
        <translation>die Engine von innen zeigen oder verbergen</translation>
    </message>
    <message>
        <source>show or hide memory limit and context</source>
        <translation>Speichergrenze und Kontext zeigen oder verbergen</translation>
    </message>
    <message>
        <source>jobs</source>
        <translation>Aufträge</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>options of this chat</source>
        <translation>Optionen dieses Chats</translation>
    </message>
    <message>
        <source>these keys, versions and the log</source>
        <translation>diese Tasten, Versionen und das Protokoll</translation>
    </message>
    <message>
        <source>quit</source>
        <translation>beenden</translation>
    </message>
    <message>
        <source>go from message to message</source>
        <translation>von Nachricht zu Nachricht gehen</translation>
    </message>
    <message>
        <source>choose an action of the message</source>
        <translation>eine Aktion der Nachricht wählen</translation>
    </message>
    <message>
        <source>rename the chat</source>
        <translation>Chat umbenennen</translation>
    </message>
    <message>
        <source>move the chat to the trash</source>
        <translation>Chat in den Papierkorb verschieben</translation>
    </message>
</context>
<context>
    <name>KeysPage</name>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>What they do</source>
        <translation>Was sie tun</translation>
    </message>
</context>
<context>
    <name>Leaving</name>
    <message>
        <source>An answer is being written. What is there of it is kept; you can have it continued later.</source>
        <translation>Eine Antwort wird gerade geschrieben. Was davon da ist, bleibt; sie lässt sich später fortsetzen.</translation>
    </message>
    <message>
        <source>A model is being made. What is done is kept; it goes on when you start it again.</source>
        <translation>Ein Modell wird gerade erstellt. Was fertig ist, bleibt; beim nächsten Anlauf geht es dort weiter.</translation>
    </message>
    <message>
        <source>A model is being fetched. What came is kept; it goes on when Ouzel is started again.</source>
        <translation>Ein Modell wird gerade geholt. Was angekommen ist, bleibt; beim nächsten Start von Ouzel geht es weiter.</translation>
    </message>
    <message>
        <source>A job is running. What is answered is kept; it goes on when Ouzel is started again.</source>
        <translation>Ein Auftrag läuft. Was beantwortet ist, bleibt; er läuft weiter, wenn Ouzel wieder gestartet wird.</translation>
    </message>
    <message>
        <source>Quit Ouzel?</source>
        <translation>Ouzel beenden?</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>Bleiben</translation>
    </message>
    <message>
        <source>Don&apos;t ask again</source>
        <translation>Nicht mehr fragen</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>in memory</source>
        <translation>im Speicher</translation>
    </message>
    <message>
        <source>on the drive</source>
        <translation>auf dem Laufwerk</translation>
    </message>
    <message>
        <source>used just now</source>
        <translation>gerade gebraucht</translation>
    </message>
    <message>
        <source>stronger: used more</source>
        <translation>kräftiger: öfter gebraucht</translation>
    </message>
    <message>
        <source>Colours: {0}</source>
        <translation>Farben: {0}</translation>
    </message>
</context>
<context>
    <name>Limits</name>
    <message>
        <source>Working out what this computer can do…</source>
        <translation>Was dieser Computer kann, wird berechnet…</translation>
    </message>
    <message>
        <source>Measured here so far, with drafts: {0} tokens/s.</source>
        <translation>Bisher hier gemessen, mit Entwürfen: {0} Token/s.</translation>
    </message>
    <message>
        <source>Measured here so far: {0} tokens/s.</source>
        <translation>Bisher hier gemessen: {0} Token/s.</translation>
    </message>
    <message>
        <source>{0}: no speed is expected for exact arithmetic, which is slower</source>
        <translation>{0}: Für exakte Arithmetik gibt es keine Vorhersage; sie ist langsamer</translation>
    </message>
    <message>
        <source>{0}: about {1} tokens/s, between {2} and {3}</source>
        <translation>{0}: etwa {1} Token/s, zwischen {2} und {3}</translation>
    </message>
    <message>
        <source>Takes {0}, with a context of {1} tokens.</source>
        <translation>Belegt {0}, mit einem Kontext von {1} Token.</translation>
    </message>
    <message>
        <source>All {0} experts stay in memory: nothing is read from the drive.</source>
        <translation>Alle {0} Experten bleiben im Speicher: Vom Laufwerk wird nichts gelesen.</translation>
    </message>
    <message>
        <source>{0} of {1} experts in memory; {2}% of the uses should find theirs there, and {3} a token come from the drive.</source>
        <translation>{0} von {1} Experten im Speicher; {2} % der Zugriffe sollten ihren dort finden, und {3} je Token kommen vom Laufwerk.</translation>
    </message>
    <message>
        <source>This model needs {0}, and {1} are free. Close other programs, choose a shorter context or a smaller model.</source>
        <translation>Dieses Modell braucht {0}, und {1} sind frei. Andere Programme schließen oder einen kürzeren Kontext oder ein kleineres Modell wählen.</translation>
    </message>
    <message>
        <source>It needs at least {0}; {1} are free for it.</source>
        <translation>Es braucht mindestens {0}; {1} sind dafür frei.</translation>
    </message>
    <message>
        <source>The drive was measured through the system&apos;s cache, so speeds may be too high.</source>
        <translation>Das Laufwerk wurde durch den Cache des Systems gemessen; die Tempoangaben können zu hoch sein.</translation>
    </message>
    <message>
        <source>{0} tokens · {1}</source>
        <translation>{0} Token · {1}</translation>
    </message>
    <message>
        <source>{0} tokens</source>
        <translation>{0} Token</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
</context>
<context>
    <name>LogPage</name>
    <message>
        <source>Machine, settings, counters and the log, without text of chats, access tokens, and names in paths. Ouzel never sends it: to report a problem, copy it and paste it where you report. What you see here is all of it.</source>
        <translation>Rechner, Einstellungen, Zähler und Protokoll, ohne Chattexte, Zugriffstoken und Namen in Pfaden. Ouzel sendet nie etwas davon: Um ein Problem zu melden, kopieren und in die Meldung einfügen. Was hier zu sehen ist, ist alles.</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>Diagnose</translation>
    </message>
    <message>
        <source>Copy diagnostics</source>
        <translation>Diagnose kopieren</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>Aktualisieren</translation>
    </message>
    <message>
        <source>Open the log&apos;s folder</source>
        <translation>Protokollordner öffnen</translation>
    </message>
    <message>
        <source>What was done</source>
        <translation>Was geschehen ist</translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>Kopiert.</translation>
    </message>
    <message>
        <source>Save the diagnostics</source>
        <translation>Diagnose speichern</translation>
    </message>
    <message>
        <source>Text (*.txt)</source>
        <translation>Text (*.txt)</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>Gespeichert.</translation>
    </message>
    <message>
        <source>It could not be saved: {0}. Choose another folder.</source>
        <translation>Speichern war nicht möglich: {0}. Bitte einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>No program opens folders here. The log lies in {0}</source>
        <translation>Kein Programm öffnet hier Ordner. Das Protokoll liegt in {0}</translation>
    </message>
</context>
<context>
    <name>Main</name>
    <message>
        <source>Safe mode: no model was opened, and the engine&apos;s settings are the usual ones.</source>
        <translation>Abgesicherter Modus: Kein Modell wurde geöffnet, und die Engine hat die üblichen Einstellungen.</translation>
    </message>
    <message>
        <source>Another Ouzel is open on the same data, and it does not answer. End it, then start again.</source>
        <translation>Ein anderes Ouzel ist mit denselben Daten geöffnet und antwortet nicht. Bitte beenden und neu starten.</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Ouzel</source>
        <translation>Ouzel</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>Modellordner öffnen</translation>
    </message>
    <message>
        <source>{0} is a published checkpoint. It is converted once into Ouzel&apos;s own format before it can be opened.</source>
        <translation>{0} ist ein veröffentlichtes Modell. Vor dem Öffnen wird es einmal in Ouzels eigenes Format umgewandelt.</translation>
    </message>
    <message>
        <source>Convert</source>
        <translation>Umwandeln</translation>
    </message>
    <message>
        <source>{0} holds GGUF files. One of them is converted once into Ouzel&apos;s own format before it can be opened.</source>
        <translation>{0} enthält GGUF-Dateien. Vor dem Öffnen wird eine davon einmal in Ouzels eigenes Format umgewandelt.</translation>
    </message>
    <message>
        <source>Choose one…</source>
        <translation>Auswählen…</translation>
    </message>
    <message>
        <source>{0} holds no model. Choose a folder NAME.ouzel, or a Hugging Face checkpoint with a config.json.</source>
        <translation>{0} enthält kein Modell. Bitte einen Ordner NAME.ouzel oder ein veröffentlichtes Modell mit einer config.json wählen.</translation>
    </message>
    <message>
        <source>A model&apos;s file</source>
        <translation>Datei eines Modells</translation>
    </message>
    <message>
        <source>GGUF files (*.gguf)</source>
        <translation>GGUF-Dateien (*.gguf)</translation>
    </message>
    <message>
        <source>This link is not opened: {0}. Only web and mail links are.</source>
        <translation>Dieser Link wird nicht geöffnet: {0}. Geöffnet werden nur Web- und Mail-Links.</translation>
    </message>
    <message>
        <source>Open this link in another program?</source>
        <translation>Diesen Link in einem anderen Programm öffnen?</translation>
    </message>
    <message>
        <source>Open link</source>
        <translation>Link öffnen</translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message>
        <source>Memory and context</source>
        <translation>Speicher und Kontext</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>Speichergrenze</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Automatic memory limit</source>
        <translation>Automatische Speichergrenze</translation>
    </message>
    <message>
        <source>Context length</source>
        <translation>Kontextlänge</translation>
    </message>
    <message>
        <source>Context lengths</source>
        <translation>Kontextlängen</translation>
    </message>
    <message>
        <source>Measuring memory and drive</source>
        <translation>Speicher und Laufwerk messen</translation>
    </message>
    <message>
        <source>Memory limit in gigabytes</source>
        <translation>Speichergrenze in Gigabyte</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> GB</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
</context>
<context>
    <name>MessageBar</name>
    <message>
        <source>Copy message as Markdown</source>
        <translation>Nachricht als Markdown kopieren</translation>
    </message>
    <message>
        <source>Edit and send again</source>
        <translation>Bearbeiten und neu senden</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>Neu antworten</translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation>Antwort fortsetzen</translation>
    </message>
    <message>
        <source>Delete message and what follows</source>
        <translation>Nachricht und alles danach löschen</translation>
    </message>
</context>
<context>
    <name>MessageField</name>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
</context>
<context>
    <name>ModelBar</name>
    <message>
        <source>Show or hide the list of chats</source>
        <translation>Liste der Chats zeigen oder verbergen</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Engine status</source>
        <translation>Zustand der Engine</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>No model yet</source>
        <translation>Noch kein Modell</translation>
    </message>
    <message>
        <source>Get a model…</source>
        <translation>Modell holen…</translation>
    </message>
    <message>
        <source>Set up the starter model</source>
        <translation>Startmodell einrichten</translation>
    </message>
    <message>
        <source>Open folder…</source>
        <translation>Ordner öffnen…</translation>
    </message>
    <message>
        <source>{0}: drive missing, locate…</source>
        <translation>{0}: Laufwerk fehlt, suchen…</translation>
    </message>
    <message>
        <source>Memory that the engine may take; this machine can give up to {0}.</source>
        <translation>Speicher, den die Engine belegen darf; dieser Rechner kann bis zu {0} geben.</translation>
    </message>
    <message>
        <source>This model needs at least {0}.</source>
        <translation>Dieses Modell braucht mindestens {0}.</translation>
    </message>
    <message>
        <source>Memory: auto</source>
        <translation>Speicher: auto</translation>
    </message>
    <message>
        <source>Memory: {0}</source>
        <translation>Speicher: {0}</translation>
    </message>
    <message>
        <source>Memory: automatic</source>
        <translation>Speicher: automatisch</translation>
    </message>
    <message>
        <source>Press to choose another limit or context ({0}).</source>
        <translation>Hier lassen sich Grenze und Kontext ändern ({0}).</translation>
    </message>
</context>
<context>
    <name>NetworkPage</name>
    <message>
        <source>Network</source>
        <translation>Netzwerk</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>None, or http://HOST:PORT</source>
        <translation>Keiner, oder http://HOST:PORT</translation>
    </message>
    <message>
        <source>Hub</source>
        <translation>Hub</translation>
    </message>
    <message>
        <source>Certificates</source>
        <translation>Zertifikate</translation>
    </message>
    <message>
        <source>The system&apos;s, or more in a PEM file</source>
        <translation>Die des Systems, oder weitere in einer PEM-Datei</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>Choose a file of certificates</source>
        <translation>Datei mit Zertifikaten wählen</translation>
    </message>
    <message>
        <source>Looking for an access token…</source>
        <translation>Zugriffstoken wird gesucht…</translation>
    </message>
    <message>
        <source>Forget the token</source>
        <translation>Token vergessen</translation>
    </message>
    <message>
        <source>Forget the access token</source>
        <translation>Zugriffstoken vergessen</translation>
    </message>
    <message>
        <source>The variable HF_ENDPOINT says {0}, and that counts.</source>
        <translation>Die Variable HF_ENDPOINT nennt {0}, und das gilt.</translation>
    </message>
    <message>
        <source>A variable of the environment, as HTTPS_PROXY, says otherwise, and that counts.</source>
        <translation>Eine Umgebungsvariable wie HTTPS_PROXY legt es anders fest, und das gilt.</translation>
    </message>
    <message>
        <source>An access token for {0} is in the system&apos;s keyring.</source>
        <translation>Ein Zugriffstoken für {0} liegt im Schlüsselbund des Systems.</translation>
    </message>
    <message>
        <source>The variable HF_TOKEN holds an access token for {0}.</source>
        <translation>Die Variable HF_TOKEN enthält ein Zugriffstoken für {0}.</translation>
    </message>
    <message>
        <source>An access token for {0} is kept until Ouzel closes.</source>
        <translation>Ein Zugriffstoken für {0} bleibt, bis Ouzel beendet wird.</translation>
    </message>
    <message>
        <source>An access token for {0} is in a file that only this account can read.</source>
        <translation>Ein Zugriffstoken für {0} liegt in einer Datei, die nur dieses Benutzerkonto lesen kann.</translation>
    </message>
    <message>
        <source>Some models are only for accounts that accepted their licence. A token of such an account, for {0}, opens them.</source>
        <translation>Manche Modelle gibt es nur für Konten, die ihre Lizenz angenommen haben. Ein Token eines solchen Kontos bei {0} öffnet sie.</translation>
    </message>
    <message>
        <source>Certificates (*.pem *.crt *.cer)</source>
        <translation>Zertifikate (*.pem *.crt *.cer)</translation>
    </message>
</context>
<context>
    <name>NewJob</name>
    <message>
        <source>New job</source>
        <translation>Neuer Auftrag</translation>
    </message>
    <message>
        <source>What is to be done, with each of the files or by itself?</source>
        <translation>Was soll getan werden, mit jeder der Dateien oder für sich?</translation>
    </message>
    <message>
        <source>Prompt of the job</source>
        <translation>Prompt des Auftrags</translation>
    </message>
    <message>
        <source>Files of the job: each is answered by itself</source>
        <translation>Dateien des Auftrags: Jede wird für sich beantwortet</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>Dateien hinzufügen…</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>Ordner hinzufügen…</translation>
    </message>
    <message>
        <source>No files</source>
        <translation>Keine Dateien</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Sofort</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Ab</translation>
    </message>
    <message>
        <source>While nobody uses Ouzel</source>
        <translation>Wenn niemand Ouzel benutzt</translation>
    </message>
    <message>
        <source>Time from which the job runs</source>
        <translation>Uhrzeit, ab der der Auftrag läuft</translation>
    </message>
    <message>
        <source>Only on mains power</source>
        <translation>Nur mit Netzstrom</translation>
    </message>
    <message>
        <source>with the job, in Ouzel&apos;s data folder</source>
        <translation>beim Auftrag, in Ouzels Datenordner</translation>
    </message>
    <message>
        <source>Folder of the answers</source>
        <translation>Ordner der Antworten</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
    <message>
        <source>Add the job</source>
        <translation>Auftrag hinzufügen</translation>
    </message>
    <message>
        <source>Answered by {0}, with the settings for answers as they are now.</source>
        <translation>Es antwortet {0}, mit den jetzigen Einstellungen für Antworten.</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Files, each answered by itself:</source>
        <translation>Dateien, jede für sich beantwortet:</translation>
    </message>
    <message>
        <source>Files of the job</source>
        <translation>Dateien des Auftrags</translation>
    </message>
    <message>
        <source>Folder of the job</source>
        <translation>Ordner des Auftrags</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Message from Ouzel</source>
        <translation>Meldung von Ouzel</translation>
    </message>
    <message>
        <source>Do what the message offers</source>
        <translation>Ausführen, was die Meldung anbietet</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>Diese Meldung schließen</translation>
    </message>
</context>
<context>
    <name>Presentation</name>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>Entladen</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>Kein Modell ist geladen.</translation>
    </message>
    <message>
        <source>Giving the memory back…</source>
        <translation>Speicher wird zurückgegeben…</translation>
    </message>
    <message>
        <source>Waiting for {0}…</source>
        <translation>Warten auf {0}…</translation>
    </message>
    <message>
        <source>Reading the prompt: {0} of {1} tokens</source>
        <translation>Prompt wird gelesen: {0} von {1} Token</translation>
    </message>
    <message>
        <source>Reading the prompt…</source>
        <translation>Prompt wird gelesen…</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>Denkt nach…</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>Schreibt…</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird angehalten…</translation>
    </message>
    <message>
        <source>Closing…</source>
        <translation>Wird beendet…</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>memory limit</source>
        <translation>Speichergrenze</translation>
    </message>
    <message>
        <source>context length</source>
        <translation>Kontextlänge</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation>Arithmetik</translation>
    </message>
    <message>
        <source>drafts</source>
        <translation>Entwürfe</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>keys and values</source>
        <translation>Schlüssel und Werte</translation>
    </message>
    <message>
        <source>room for kept conversations</source>
        <translation>Platz für aufbewahrte Unterhaltungen</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Changed: {0}. Reload the model to use it.</source>
        <translation>Geändert: {0}. Zum Anwenden das Modell neu laden.</translation>
    </message>
    <message>
        <source>all {0} experts fit in the cache</source>
        <translation>alle {0} Experten passen in den Cache</translation>
    </message>
    <message>
        <source>{0} of {1} experts fit in the cache</source>
        <translation>{0} von {1} Experten passen in den Cache</translation>
    </message>
    <message>
        <source>Ready · {0} tokens of context · {1}</source>
        <translation>Bereit · {0} Token Kontext · {1}</translation>
    </message>
    <message>
        <source>{0} · reads pass through the system&apos;s cache</source>
        <translation>{0} · gelesen wird durch den Cache des Systems</translation>
    </message>
    <message>
        <source>Opening the model…</source>
        <translation>Modell wird geöffnet…</translation>
    </message>
    <message>
        <source>Loading the trunk into memory…</source>
        <translation>Stamm wird in den Speicher geladen…</translation>
    </message>
    <message>
        <source>Loading the draft model…</source>
        <translation>Entwurfsmodell wird geladen…</translation>
    </message>
    <message>
        <source>Loading the tokenizer…</source>
        <translation>Tokenizer wird geladen…</translation>
    </message>
    <message>
        <source>Preparing memory…</source>
        <translation>Speicher wird vorbereitet…</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>Wird geladen…</translation>
    </message>
    <message>
        <source>Downloading the base weights</source>
        <translation>Basisgewichte herunterladen</translation>
    </message>
    <message>
        <source>Unpacking the base weights</source>
        <translation>Basisgewichte entpacken</translation>
    </message>
    <message>
        <source>Converting the trunk</source>
        <translation>Stamm umwandeln</translation>
    </message>
    <message>
        <source>Converting the experts</source>
        <translation>Experten umwandeln</translation>
    </message>
    <message>
        <source>Checking the checkpoint</source>
        <translation>Quelle prüfen</translation>
    </message>
    <message>
        <source>Waiting for another Ouzel that builds it</source>
        <translation>Warten auf ein anderes Ouzel, das es erstellt</translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation>Vorbereiten</translation>
    </message>
    <message>
        <source>{0}: {1} of {2}</source>
        <translation>{0}: {1} von {2}</translation>
    </message>
    <message>
        <source>Load a model to start chatting</source>
        <translation>Zum Chatten ein Modell laden</translation>
    </message>
    <message>
        <source>Set up a model to start chatting</source>
        <translation>Zum Chatten ein Modell einrichten</translation>
    </message>
    <message>
        <source>Message {0}</source>
        <translation>Nachricht an {0}</translation>
    </message>
    <message>
        <source>Write your message while the model gets ready</source>
        <translation>Die Nachricht lässt sich schon schreiben, während das Modell lädt</translation>
    </message>
    <message>
        <source>Send ({0})</source>
        <translation>Senden ({0})</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>Antwort anhalten (Esc)</translation>
    </message>
    <message>
        <source>A message can be sent once a model is loaded</source>
        <translation>Senden geht, sobald ein Modell geladen ist</translation>
    </message>
    <message>
        <source>{0} TB</source>
        <translation>{0} TB</translation>
    </message>
    <message>
        <source>{0} GB</source>
        <translation>{0} GB</translation>
    </message>
    <message>
        <source>{0} MB</source>
        <translation>{0} MB</translation>
    </message>
    <message>
        <source>{0} kB</source>
        <translation>{0} kB</translation>
    </message>
</context>
<context>
    <name>ProgramsPage</name>
    <message>
        <source>Programs</source>
        <translation>Programme</translation>
    </message>
    <message>
        <source>Editors and other programs on this computer can use the open model, through OpenAI&apos;s interface.</source>
        <translation>Editoren und andere Programme auf diesem Computer können das geöffnete Modell nutzen, über die Schnittstelle von OpenAI.</translation>
    </message>
    <message>
        <source>Serve the open model to other programs</source>
        <translation>Das geöffnete Modell anderen Programmen anbieten</translation>
    </message>
    <message>
        <source>On this computer only; the chat goes first</source>
        <translation>Nur auf diesem Computer; der Chat hat Vorrang</translation>
    </message>
    <message>
        <source>Address for programs</source>
        <translation>Adresse für Programme</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>Another one where this is taken</source>
        <translation>Ein anderer, falls dieser belegt ist</translation>
    </message>
    <message>
        <source>Programs need a key</source>
        <translation>Programme brauchen einen Schlüssel</translation>
    </message>
    <message>
        <source>It is kept in the system&apos;s keyring, where there is one</source>
        <translation>Er liegt im Schlüsselbund des Systems, sofern es einen gibt</translation>
    </message>
    <message>
        <source>Copy the key</source>
        <translation>Schlüssel kopieren</translation>
    </message>
    <message>
        <source>Copy the key for programs</source>
        <translation>Schlüssel für Programme kopieren</translation>
    </message>
    <message>
        <source>Make a new key</source>
        <translation>Neuen Schlüssel erzeugen</translation>
    </message>
    <message>
        <source>Make a new key for programs</source>
        <translation>Neuen Schlüssel für Programme erzeugen</translation>
    </message>
    <message>
        <source>What programs have asked</source>
        <translation>Was Programme gefragt haben</translation>
    </message>
    <message>
        <source>Nothing has been asked yet.</source>
        <translation>Noch wurde nichts gefragt.</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>The server is starting…</source>
        <translation>Der Server startet…</translation>
    </message>
    <message>
        <source>No model is open, so programs are turned away.</source>
        <translation>Kein Modell ist geöffnet, deshalb werden Programme abgewiesen.</translation>
    </message>
    <message>
        <source>Open the model again to let programs ask for JSON and for calls of tools.</source>
        <translation>Damit Programme JSON und Werkzeugaufrufe verlangen können, das Modell neu öffnen.</translation>
    </message>
    <message>
        <source>Programs can ask now.</source>
        <translation>Programme können jetzt fragen.</translation>
    </message>
    <message>
        <source>Nothing is served.</source>
        <translation>Nichts wird angeboten.</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Groups of settings</source>
        <translation>Gruppen von Einstellungen</translation>
    </message>
    <message>
        <source>Show all settings</source>
        <translation>Alle Einstellungen zeigen</translation>
    </message>
    <message>
        <source>Reset…</source>
        <translation>Zurücksetzen…</translation>
    </message>
    <message numerus="yes">
        <source>%n setting(s) that are not shown differ from the usual.</source>
        <translation>
            <numerusform>%n Einstellung, die nicht gezeigt wird, weicht vom Üblichen ab.</numerusform>
            <numerusform>%n Einstellungen, die nicht gezeigt werden, weichen vom Üblichen ab.</numerusform>
        </translation>
    </message>
    <message>
        <source>Set everything here back to how it was at first? Chats, models, folders and access tokens stay.</source>
        <translation>Alles hier auf den Anfangszustand zurücksetzen? Chats, Modelle, Ordner und Zugriffstoken bleiben.</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Ouzel</source>
        <translation>Ouzel</translation>
    </message>
    <message>
        <source>More about conversations</source>
        <translation>Mehr zu Unterhaltungen</translation>
    </message>
    <message>
        <source>Import, export, trash and help</source>
        <translation>Importieren, Exportieren, Papierkorb und Hilfe</translation>
    </message>
    <message>
        <source>Search all conversations</source>
        <translation>Alle Unterhaltungen durchsuchen</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation>Suche leeren</translation>
    </message>
    <message>
        <source>Back to the chats</source>
        <translation>Zurück zu den Chats</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>New chat ({0})</source>
        <translation>Neuer Chat ({0})</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Ohne Titel</translation>
    </message>
    <message>
        <source>Your chats appear here.</source>
        <translation>Hier erscheinen die Chats.</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>Nichts gefunden.</translation>
    </message>
    <message>
        <source>Trash: kept for 30 days</source>
        <translation>Papierkorb: 30 Tage aufbewahrt</translation>
    </message>
    <message>
        <source>The trash is empty.</source>
        <translation>Der Papierkorb ist leer.</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Delete for good…</source>
        <translation>Endgültig löschen…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>No longer pin</source>
        <translation>Nicht mehr anheften</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>Als Markdown kopieren</translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation>Als Markdown exportieren…</translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation>Als JSON exportieren…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Import chats…</source>
        <translation>Chats importieren…</translation>
    </message>
    <message>
        <source>Export all as JSON…</source>
        <translation>Alle als JSON exportieren…</translation>
    </message>
    <message>
        <source>Trash</source>
        <translation>Papierkorb</translation>
    </message>
    <message>
        <source>Jobs…</source>
        <translation>Aufträge…</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>About Ouzel</source>
        <translation>Über Ouzel</translation>
    </message>
    <message>
        <source>Log, and report a problem…</source>
        <translation>Protokoll, und ein Problem melden…</translation>
    </message>
</context>
<context>
    <name>SplitBar</name>
    <message>
        <source>Time of a token</source>
        <translation>Zeit eines Tokens</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>noch nicht gemessen</translation>
    </message>
    <message>
        <source>Time of a token read: {0} ms</source>
        <translation>Zeit je gelesenem Token: {0} ms</translation>
    </message>
    <message>
        <source>Time of a token written: {0} ms</source>
        <translation>Zeit je geschriebenem Token: {0} ms</translation>
    </message>
    <message>
        <source>waiting for reads {0} ms</source>
        <translation>Warten auf Lesen {0} ms</translation>
    </message>
    <message>
        <source>experts {0} ms</source>
        <translation>Experten {0} ms</translation>
    </message>
    <message>
        <source>attention {0} ms</source>
        <translation>Attention {0} ms</translation>
    </message>
    <message>
        <source>rest {0} ms</source>
        <translation>Rest {0} ms</translation>
    </message>
</context>
<context>
    <name>Tile</name>
    <message>
        <source>not measured yet</source>
        <translation>noch nicht gemessen</translation>
    </message>
    <message>
        <source>{0}; in the last minutes {1} to {2}</source>
        <translation>{0}; in den letzten Minuten {1} bis {2}</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>The version before</source>
        <translation>Die Fassung davor</translation>
    </message>
    <message>
        <source>The next version</source>
        <translation>Die nächste Fassung</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message>
        <source>What is above is no longer given to the model.</source>
        <translation>Was darüber steht, bekommt das Modell nicht mehr.</translation>
    </message>
    <message>
        <source>Give the model the whole conversation again</source>
        <translation>Dem Modell wieder die ganze Unterhaltung geben</translation>
    </message>
    <message>
        <source>Give it all</source>
        <translation>Alles geben</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy this code</source>
        <translation>Diesen Code kopieren</translation>
    </message>
    <message>
        <source>Hide what was thought</source>
        <translation>Gedanken verbergen</translation>
    </message>
    <message>
        <source>Show what was thought</source>
        <translation>Gedanken zeigen</translation>
    </message>
    <message>
        <source>{0} min {1} s</source>
        <translation>{0} min {1} s</translation>
    </message>
    <message>
        <source>{0} s</source>
        <translation>{0} s</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>Denkt nach…</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>Nachgedacht</translation>
    </message>
    <message>
        <source>Thinking… {0}</source>
        <translation>Denkt nach… {0}</translation>
    </message>
    <message>
        <source>Thought for {0}</source>
        <translation>{0} nachgedacht</translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>You</source>
        <translation>Ich</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
</context>
<context>
    <name>Trouble</name>
    <message>
        <source>What went wrong</source>
        <translation>Was schiefgegangen ist</translation>
    </message>
</context>
<context>
    <name>Turns</name>
    <message>
        <source>{0} · {1} characters</source>
        <translation>{0} · {1} Zeichen</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>A water ouzel beside a stream</source>
        <translation>Eine Wasseramsel an einem Bach</translation>
    </message>
    <message>
        <source>Get another model…</source>
        <translation>Anderes Modell holen…</translation>
    </message>
    <message>
        <source>Get another model</source>
        <translation>Anderes Modell holen</translation>
    </message>
    <message>
        <source>Open a model folder…</source>
        <translation>Modellordner öffnen…</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>Modellordner öffnen</translation>
    </message>
    <message>
        <source>Progress of the set-up</source>
        <translation>Fortschritt der Einrichtung</translation>
    </message>
    <message>
        <source>A model that you have already can be dropped here: a folder NAME.ouzel, a checkpoint&apos;s folder, or a .gguf file. F1 lists all keys.</source>
        <translation>Ein schon vorhandenes Modell lässt sich hier ablegen: ein Ordner NAME.ouzel, der Ordner eines veröffentlichten Modells oder eine .gguf-Datei. F1 zeigt alle Tasten.</translation>
    </message>
    <message>
        <source>Explain how a rainbow forms</source>
        <translation>Wie entsteht ein Regenbogen?</translation>
    </message>
    <message>
        <source>A short poem about a river</source>
        <translation>Gedicht über einen Fluss</translation>
    </message>
    <message>
        <source>Three tips for better sleep</source>
        <translation>Drei Tipps für besseren Schlaf</translation>
    </message>
    <message>
        <source>What makes bread rise?</source>
        <translation>Warum geht Brot auf?</translation>
    </message>
    <message>
        <source>What shall we talk about?</source>
        <translation>Worüber soll es gehen?</translation>
    </message>
    <message>
        <source>Models larger than memory, on this computer</source>
        <translation>Modelle, größer als der Speicher, auf diesem Computer</translation>
    </message>
    <message>
        <source>Set up the starter model</source>
        <translation>Startmodell einrichten</translation>
    </message>
    <message>
        <source>Load {0}</source>
        <translation>{0} laden</translation>
    </message>
    <message>
        <source>Choose a larger model…</source>
        <translation>Größeres Modell wählen…</translation>
    </message>
    <message>
        <source>Ouzel runs models that are larger than memory: what is always needed stays in memory, and the rest is read from the drive in time. A small starter model is made in about a minute from a public download of {0}. Nothing that you write leaves this computer.</source>
        <translation>Ouzel führt Modelle aus, die größer sind als der Speicher: Was ständig gebraucht wird, bleibt im Speicher, alles andere wird rechtzeitig vom Laufwerk gelesen. Ein kleines Startmodell entsteht in etwa einer Minute aus einem öffentlichen Download von {0}. Nichts, was hier geschrieben wird, verlässt diesen Computer.</translation>
    </message>
    <message>
        <source>Load a model, or open a folder with another one. Nothing that you write leaves this computer.</source>
        <translation>Ein Modell laden oder einen Ordner mit einem anderen öffnen. Nichts, was hier geschrieben wird, verlässt diesen Computer.</translation>
    </message>
    <message>
        <source>{0} answers on this computer; nothing that you write leaves it.</source>
        <translation>{0} antwortet auf diesem Computer; nichts Geschriebenes verlässt ihn.</translation>
    </message>
</context>
<context>
    <name>WindowPage</name>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Textgröße</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>{0}; {1} breaks the line</source>
        <translation>{0}; {1} bricht die Zeile um</translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation>Nachrichten senden mit</translation>
    </message>
    <message>
        <source>Only where no window of Ouzel is in front</source>
        <translation>Nur wenn kein Fenster von Ouzel vorn ist</translation>
    </message>
    <message>
        <source>Where the system lets it</source>
        <translation>Sofern das System es zulässt</translation>
    </message>
    <message>
        <source>Tell me on the desktop when a long answer is ready</source>
        <translation>Auf dem Desktop melden, wenn eine lange Antwort fertig ist</translation>
    </message>
    <message>
        <source>Keep the computer awake while the engine works</source>
        <translation>Computer wach halten, solange die Engine arbeitet</translation>
    </message>
    <message>
        <source>Ask before quitting while something works</source>
        <translation>Vor dem Beenden fragen, solange etwas läuft</translation>
    </message>
    <message>
        <source>What is done is kept either way</source>
        <translation>Was fertig ist, bleibt in jedem Fall</translation>
    </message>
    <message>
        <source>The language changes when Ouzel starts again.</source>
        <translation>Die Sprache wechselt beim nächsten Start von Ouzel.</translation>
    </message>
</context>
<context>
    <name>Wizard</name>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Progress of the download</source>
        <translation>Fortschritt des Downloads</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show the download</source>
        <translation>Download zeigen</translation>
    </message>
    <message>
        <source>Progress of {0}</source>
        <translation>Fortschritt von {0}</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Discard…</source>
        <translation>Verwerfen…</translation>
    </message>
    <message>
        <source>Start chatting</source>
        <translation>Chat beginnen</translation>
    </message>
    <message>
        <source>{0} for {1}</source>
        <translation>{0} für {1}</translation>
    </message>
    <message>
        <source>download {0} · made on this computer in about a minute</source>
        <translation>Download {0} · wird hier in etwa einer Minute erstellt</translation>
    </message>
    <message>
        <source>Starter model</source>
        <translation>Startmodell</translation>
    </message>
    <message>
        <source>runs everywhere</source>
        <translation>läuft überall</translation>
    </message>
    <message>
        <source>download {0}</source>
        <translation>Download {0}</translation>
    </message>
    <message>
        <source>download unknown</source>
        <translation>Download unbekannt</translation>
    </message>
    <message>
        <source>{0} · on disk {1} · {2}</source>
        <translation>{0} · auf dem Laufwerk {1} · {2}</translation>
    </message>
    <message>
        <source>A small model to try everything with. It is made on this computer from a public download and needs little memory.</source>
        <translation>Ein kleines Modell, um alles auszuprobieren. Es wird auf diesem Computer aus einem öffentlichen Download erstellt und braucht wenig Speicher.</translation>
    </message>
    <message>
        <source>Apache-2.0</source>
        <translation>Apache-2.0</translation>
    </message>
    <message>
        <source>{0} parameters, {1} active for each token</source>
        <translation>{0} Parameter, {1} davon je Token aktiv</translation>
    </message>
    <message>
        <source>memory: at least {0}, better {1}</source>
        <translation>Speicher: mindestens {0}, besser {1}</translation>
    </message>
    <message>
        <source>disk: {0}, and {1} while it is made</source>
        <translation>Laufwerk: {0}, beim Erstellen {1}</translation>
    </message>
    <message>
        <source>{0} million</source>
        <translation>{0} Millionen</translation>
    </message>
    <message>
        <source>{0} billion</source>
        <translation>{0} Milliarden</translation>
    </message>
    <message>
        <source>Ready for a first chat</source>
        <translation>Bereit für den ersten Chat</translation>
    </message>
    <message>
        <source>A water ouzel beside a stream</source>
        <translation>Eine Wasseramsel an einem Bach</translation>
    </message>
    <message>
        <source>The first answers are slower: what the model uses most comes into memory as you go.</source>
        <translation>Die ersten Antworten sind langsamer: Was das Modell am meisten braucht, kommt nach und nach in den Speicher.</translation>
    </message>
    <message>
        <source>No model is ready yet.</source>
        <translation>Noch ist kein Modell bereit.</translation>
    </message>
    <message>
        <source>{0} answers already. You can chat while the rest comes; what is missing is fetched when it is needed.</source>
        <translation>{0} antwortet schon. Chatten geht, während der Rest kommt; was fehlt, wird geholt, wenn es gebraucht wird.</translation>
    </message>
    <message>
        <source>{0} lies in {1}. Every part of it was checked.</source>
        <translation>{0} liegt in {1}. Jeder Teil davon wurde geprüft.</translation>
    </message>
    <message>
        <source>About the model</source>
        <translation>Über das Modell</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Ein Modell wählen</translation>
    </message>
    <message>
        <source>What would help:
{0}</source>
        <translation>Was helfen würde:
{0}</translation>
    </message>
    <message>
        <source>Licence: {0}…</source>
        <translation>Lizenz: {0}…</translation>
    </message>
    <message>
        <source>Open the licence {0}</source>
        <translation>Lizenz {0} öffnen</translation>
    </message>
    <message>
        <source>{0} free of {1}</source>
        <translation>{0} von {1} frei</translation>
    </message>
    <message>
        <source>System drive ({0})</source>
        <translation>Systemlaufwerk ({0})</translation>
    </message>
    <message>
        <source>cannot be written</source>
        <translation>nicht beschreibbar</translation>
    </message>
    <message>
        <source>Where shall models go?</source>
        <translation>Wohin sollen Modelle?</translation>
    </message>
    <message>
        <source>A model is read from its drive while it answers, so a fast drive with room is the best place.</source>
        <translation>Ein Modell wird vom Laufwerk gelesen, während es antwortet; am besten passt also ein schnelles Laufwerk mit Platz.</translation>
    </message>
    <message>
        <source>Drives</source>
        <translation>Laufwerke</translation>
    </message>
    <message>
        <source>Folder for models</source>
        <translation>Ordner für Modelle</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
    <message>
        <source>Choose another folder</source>
        <translation>Anderen Ordner wählen</translation>
    </message>
    <message>
        <source>Test of the drive</source>
        <translation>Test des Laufwerks</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>This folder cannot be written. Choose another one.</source>
        <translation>In diesen Ordner lässt sich nicht schreiben. Bitte einen anderen wählen.</translation>
    </message>
    <message>
        <source>{0} of {1} are free on this drive.</source>
        <translation>{0} von {1} sind auf diesem Laufwerk frei.</translation>
    </message>
    <message>
        <source>Testing how fast this drive reads…</source>
        <translation>Es wird gemessen, wie schnell dieses Laufwerk liest…</translation>
    </message>
    <message>
        <source>A test of five seconds tells how fast models on this drive would answer.</source>
        <translation>Ein Test von fünf Sekunden zeigt, wie schnell Modelle von diesem Laufwerk antworten würden.</translation>
    </message>
    <message>
        <source>Stop the test</source>
        <translation>Test anhalten</translation>
    </message>
    <message>
        <source>Test again</source>
        <translation>Neu testen</translation>
    </message>
    <message>
        <source>Test the drive&apos;s speed</source>
        <translation>Tempo des Laufwerks testen</translation>
    </message>
    <message>
        <source>The engine is busy. Wait until the answer is written, or stop it, then try again.</source>
        <translation>Die Engine ist beschäftigt. Bitte warten, bis die Antwort geschrieben ist, oder sie anhalten und es erneut versuchen.</translation>
    </message>
    <message>
        <source>You can chat with {0} already; the rest of it is still coming.</source>
        <translation>Mit {0} lässt sich schon chatten; der Rest kommt noch.</translation>
    </message>
    <message>
        <source>All of {0} is here now.</source>
        <translation>{0} ist jetzt vollständig da.</translation>
    </message>
    <message>
        <source>{0} is ready.</source>
        <translation>{0} ist bereit.</translation>
    </message>
    <message>
        <source>A drive is missing</source>
        <translation>Ein Laufwerk fehlt</translation>
    </message>
    <message>
        <source>{0} needs {1}, which is not there. Connect its drive and look again, or say where the folder is now.</source>
        <translation>{0} braucht {1}, und das ist nicht da. Bitte das Laufwerk anschließen und neu nachsehen oder angeben, wo der Ordner jetzt ist.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Locate…</source>
        <translation>Suchen…</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Neu nachsehen</translation>
    </message>
    <message>
        <source>Take off the list</source>
        <translation>Von der Liste nehmen</translation>
    </message>
    <message>
        <source>Where is {0} now?</source>
        <translation>Wo ist {0} jetzt?</translation>
    </message>
    <message>
        <source>{0} is found again.</source>
        <translation>{0} ist wiedergefunden.</translation>
    </message>
    <message>
        <source>What runs well on this computer comes first. Nothing is fetched before you say so.</source>
        <translation>Was auf diesem Computer gut läuft, steht oben. Ohne Auftrag wird nichts geholt.</translation>
    </message>
    <message>
        <source>Which model?</source>
        <translation>Welches Modell?</translation>
    </message>
    <message>
        <source>Where the model comes from</source>
        <translation>Woher das Modell kommt</translation>
    </message>
    <message>
        <source>Catalogue</source>
        <translation>Katalog</translation>
    </message>
    <message>
        <source>Any repository</source>
        <translation>Anderes Repository</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>Auf diesem Computer</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Test of this computer</source>
        <translation>Test dieses Computers</translation>
    </message>
    <message>
        <source>Measuring the drive and the memory of this computer…</source>
        <translation>Laufwerk und Speicher dieses Computers werden gemessen…</translation>
    </message>
    <message>
        <source>Repository</source>
        <translation>Repository</translation>
    </message>
    <message>
        <source>owner/name</source>
        <translation>Besitzer/Name</translation>
    </message>
    <message>
        <source>Revision</source>
        <translation>Revision</translation>
    </message>
    <message>
        <source>main branch</source>
        <translation>Hauptzweig</translation>
    </message>
    <message>
        <source>Hub</source>
        <translation>Hub</translation>
    </message>
    <message>
        <source>Folder or file</source>
        <translation>Ordner oder Datei</translation>
    </message>
    <message>
        <source>a model&apos;s folder, a .gguf file or NAME.ouzel</source>
        <translation>Ordner eines Modells, .gguf-Datei oder NAME.ouzel</translation>
    </message>
    <message>
        <source>The name of a model as its page on the hub has it. The next page says what it needs and how fast it is on this computer.</source>
        <translation>Der Name eines Modells, wie er auf seiner Seite im Hub steht. Die nächste Seite sagt, was es braucht und wie schnell es auf diesem Computer ist.</translation>
    </message>
    <message>
        <source>A GGUF file, a folder with a published model (config.json and safetensors files), or a folder NAME.ouzel made before.</source>
        <translation>Eine GGUF-Datei, ein Ordner mit einem veröffentlichten Modell (config.json und safetensors-Dateien) oder ein früher erstellter Ordner NAME.ouzel.</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen…</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>The variable HF_ENDPOINT sets it.</source>
        <translation>Die Variable HF_ENDPOINT legt ihn fest.</translation>
    </message>
    <message>
        <source>Set it up</source>
        <translation>Einrichten</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>A model&apos;s folder</source>
        <translation>Ordner eines Modells</translation>
    </message>
    <message>
        <source>A model&apos;s file</source>
        <translation>Datei eines Modells</translation>
    </message>
    <message>
        <source>GGUF files (*.gguf)</source>
        <translation>GGUF-Dateien (*.gguf)</translation>
    </message>
    <message>
        <source>Fewer bits take less disk and memory and answer faster; more bits stay closer to the published model.</source>
        <translation>Weniger Bit brauchen weniger Laufwerk und Speicher und antworten schneller; mehr Bit bleiben näher am veröffentlichten Modell.</translation>
    </message>
    <message>
        <source>How shall it be made?</source>
        <translation>Wie soll es erstellt werden?</translation>
    </message>
    <message>
        <source>Looking at the source</source>
        <translation>Quelle ansehen</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>Name of the model</source>
        <translation>Name des Modells</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>Ändern…</translation>
    </message>
    <message>
        <source>Change the folder</source>
        <translation>Ordner ändern</translation>
    </message>
    <message>
        <source>Start chatting before everything has come</source>
        <translation>Chatten, noch bevor alles da ist</translation>
    </message>
    <message>
        <source>What is missing is fetched when it is needed; the answers are the same, only slower</source>
        <translation>Was fehlt, wird geholt, wenn es gebraucht wird; die Antworten sind die gleichen, nur langsamer</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Choose a name without any of \ / : * ? &quot; &lt; &gt; |</source>
        <translation>Bitte einen Namen ohne \ / : * ? &quot; &lt; &gt; | wählen</translation>
    </message>
    <message>
        <source>Looking at {0}…</source>
        <translation>{0} wird angesehen…</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Convert</source>
        <translation>Umwandeln</translation>
    </message>
    <message>
        <source>recommended</source>
        <translation>empfohlen</translation>
    </message>
    <message>
        <source>{0} ({1})</source>
        <translation>{0} ({1})</translation>
    </message>
    <message>
        <source>{0} on disk · memory from {1}, better {2}</source>
        <translation>{0} auf dem Laufwerk · Speicher ab {1}, besser {2}</translation>
    </message>
    <message>
        <source>repository</source>
        <translation>Repository</translation>
    </message>
    <message>
        <source>{0}; {1} for the part that every word needs</source>
        <translation>{0}; {1} für den Teil, den jedes Wort braucht</translation>
    </message>
    <message>
        <source>as published</source>
        <translation>wie veröffentlicht</translation>
    </message>
    <message>
        <source>GGUF file</source>
        <translation>GGUF-Datei</translation>
    </message>
    <message>
        <source>finished model</source>
        <translation>fertiges Modell</translation>
    </message>
    <message>
        <source>published model on this computer</source>
        <translation>veröffentlichtes Modell auf diesem Computer</translation>
    </message>
    <message>
        <source>licence not named</source>
        <translation>Lizenz nicht genannt</translation>
    </message>
    <message>
        <source>version {0}</source>
        <translation>Version {0}</translation>
    </message>
    <message>
        <source>It takes {0} of disk while it is made and {1} afterwards; what it is made from stays as it is.</source>
        <translation>Beim Erstellen braucht es {0} auf dem Laufwerk, danach {1}; woraus es erstellt wird, bleibt unverändert.</translation>
    </message>
    <message>
        <source>The download is {0}: {1} at 100 Mbit/s, {2} at 1 Gbit/s. It is converted as it comes: {3} of disk at most, {4} in the end.</source>
        <translation>Der Download hat {0}: {1} bei 100 Mbit/s, {2} bei 1 Gbit/s. Umgewandelt wird laufend: höchstens {3} auf dem Laufwerk, am Ende {4}.</translation>
    </message>
    <message>
        <source>You can close this window, or Ouzel: it goes on where it was.</source>
        <translation>Dieses Fenster oder Ouzel darf geschlossen werden: Es geht weiter, wo es war.</translation>
    </message>
    <message>
        <source>On its way</source>
        <translation>Unterwegs</translation>
    </message>
    <message>
        <source>Nothing is being fetched.</source>
        <translation>Nichts wird geholt.</translation>
    </message>
    <message>
        <source>This system does not let Ouzel keep it awake. If it goes to sleep, the download waits and goes on afterwards.</source>
        <translation>Dieses System lässt sich von Ouzel nicht wach halten. Im Ruhezustand wartet der Download und geht danach weiter.</translation>
    </message>
    <message>
        <source>The computer stays awake meanwhile.</source>
        <translation>Der Computer bleibt währenddessen wach.</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} von {1}</translation>
    </message>
    <message>
        <source>{0}/s</source>
        <translation>{0}/s</translation>
    </message>
    <message>
        <source>{0} left</source>
        <translation>noch {0}</translation>
    </message>
    <message>
        <source>Pausing…</source>
        <translation>Wird angehalten…</translation>
    </message>
    <message>
        <source>Removing what was fetched…</source>
        <translation>Was geholt wurde, wird entfernt…</translation>
    </message>
    <message>
        <source>Paused. What was fetched is kept.</source>
        <translation>Angehalten. Was geholt wurde, bleibt.</translation>
    </message>
    <message>
        <source>It ended early. What was fetched is kept.</source>
        <translation>Vorzeitig beendet. Was geholt wurde, bleibt.</translation>
    </message>
    <message>
        <source>Ready. Every part was checked.</source>
        <translation>Fertig. Jeder Teil wurde geprüft.</translation>
    </message>
    <message>
        <source>Beginning…</source>
        <translation>Beginnt…</translation>
    </message>
    <message>
        <source>No data arrives</source>
        <translation>Es kommen keine Daten</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>The drive is full: {0}. Free space and it goes on by itself.</source>
        <translation>Das Laufwerk ist voll: {0}. Sobald Platz frei ist, geht es von selbst weiter.</translation>
    </message>
    <message>
        <source>You can chat already, slower until the rest has come.</source>
        <translation>Chatten geht schon, langsamer, bis der Rest da ist.</translation>
    </message>
    <message>
        <source>Waits for the download before it.</source>
        <translation>Wartet auf den Download davor.</translation>
    </message>
    <message>
        <source>Looking at what is to be fetched…</source>
        <translation>Was zu holen ist, wird angesehen…</translation>
    </message>
    <message>
        <source>Checking the source…</source>
        <translation>Quelle wird geprüft…</translation>
    </message>
    <message>
        <source>Downloading and converting</source>
        <translation>Herunterladen und umwandeln</translation>
    </message>
    <message>
        <source>Converting</source>
        <translation>Umwandeln</translation>
    </message>
    <message>
        <source>Copying</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Checking every part…</source>
        <translation>Jeder Teil wird geprüft…</translation>
    </message>
    <message>
        <source>Finishing…</source>
        <translation>Wird abgeschlossen…</translation>
    </message>
    <message>
        <source>Working…</source>
        <translation>In Arbeit…</translation>
    </message>
    <message>
        <source> (and {0} more)</source>
        <translation> (und {0} weitere)</translation>
    </message>
    <message>
        <source>{0}%</source>
        <translation>{0} %</translation>
    </message>
    <message>
        <source>{0}: needs you</source>
        <translation>{0}: braucht Hilfe</translation>
    </message>
    <message>
        <source>{0}: paused</source>
        <translation>{0}: angehalten</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Neu versuchen</translation>
    </message>
    <message>
        <source>Choose another folder…</source>
        <translation>Anderen Ordner wählen…</translation>
    </message>
    <message>
        <source>Free space…</source>
        <translation>Platz schaffen…</translation>
    </message>
    <message>
        <source>Enter a token</source>
        <translation>Token eingeben</translation>
    </message>
    <message>
        <source>Open its page…</source>
        <translation>Seite öffnen…</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>Anderes Modell wählen</translation>
    </message>
    <message>
        <source>Choose another name</source>
        <translation>Anderen Namen wählen</translation>
    </message>
    <message>
        <source>Start again…</source>
        <translation>Neu beginnen…</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>Zugriffstoken</translation>
    </message>
    <message>
        <source>Where the token is kept</source>
        <translation>Wo das Token aufbewahrt wird</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Keep in the system&apos;s keyring</source>
        <translation>Im Schlüsselbund aufbewahren</translation>
    </message>
    <message>
        <source>Only until Ouzel closes</source>
        <translation>Nur bis Ouzel schließt</translation>
    </message>
    <message>
        <source>Keep in a file</source>
        <translation>In einer Datei aufbewahren</translation>
    </message>
    <message>
        <source>This repository is only for accounts that accepted its licence; your token opens it.</source>
        <translation>Dieses Repository ist nur für Konten, die seine Lizenz angenommen haben; das hinterlegte Token öffnet es.</translation>
    </message>
    <message>
        <source>This repository is only for accounts that accepted its licence. Accept it on its page and give a token.</source>
        <translation>Dieses Repository ist nur für Konten, die seine Lizenz angenommen haben. Bitte auf seiner Seite annehmen und ein Token angeben.</translation>
    </message>
    <message>
        <source>The file is readable by your account only, but it is not encrypted.</source>
        <translation>Die Datei ist nur für dieses Benutzerkonto lesbar, aber nicht verschlüsselt.</translation>
    </message>
    <message>
        <source>It is sent to the hub&apos;s own host only.</source>
        <translation>Es wird nur an den Hub selbst gesendet.</translation>
    </message>
    <message>
        <source>Get a model</source>
        <translation>Modell holen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Step {0} of {1}: {2}</source>
        <translation>Schritt {0} von {1}: {2}</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>Optionen</translation>
    </message>
    <message>
        <source>First chat</source>
        <translation>Erster Chat</translation>
    </message>
    <message>
        <source>Another model</source>
        <translation>Anderes Modell</translation>
    </message>
    <message>
        <source>{0}

Go on all the same?</source>
        <translation>{0}

Trotzdem weiter?</translation>
    </message>
    <message>
        <source>This model does not run here</source>
        <translation>Dieses Modell läuft hier nicht</translation>
    </message>
    <message>
        <source>Discard {0}? What was fetched of it is removed.</source>
        <translation>{0} verwerfen? Was davon geholt wurde, wird entfernt.</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Open this page in the browser?</source>
        <translation>Diese Seite im Browser öffnen?</translation>
    </message>
    <message>
        <source>Open page</source>
        <translation>Seite öffnen</translation>
    </message>
    <message>
        <source>about {0} tokens/s</source>
        <translation>etwa {0} Token/s</translation>
    </message>
    <message>
        <source>about {0} to {1} tokens/s</source>
        <translation>etwa {0} bis {1} Token/s</translation>
    </message>
    <message>
        <source>needs {0} more memory</source>
        <translation>braucht {0} mehr Speicher</translation>
    </message>
    <message>
        <source>needs {0} more disk</source>
        <translation>braucht {0} mehr Platz</translation>
    </message>
    <message>
        <source>does not run here</source>
        <translation>läuft hier nicht</translation>
    </message>
    <message>
        <source>{0} does not run on this computer: {1}.</source>
        <translation>{0} läuft nicht auf diesem Computer: {1}.</translation>
    </message>
    <message>
        <source>a fast drive, good for models larger than memory.</source>
        <translation>ein schnelles Laufwerk, gut für Modelle, die größer als der Speicher sind.</translation>
    </message>
    <message>
        <source>a fair drive. Models larger than memory answer from it, the largest ones slowly.</source>
        <translation>ein ordentliches Laufwerk. Modelle, die größer als der Speicher sind, antworten von ihm, die größten langsam.</translation>
    </message>
    <message>
        <source>a slow drive. Models that fit in memory run well from it; larger ones answer slowly.</source>
        <translation>ein langsames Laufwerk. Modelle, die in den Speicher passen, laufen gut; größere antworten langsam.</translation>
    </message>
    <message>
        <source>a very slow drive. For models larger than memory, choose another one if you can.</source>
        <translation>ein sehr langsames Laufwerk. Für Modelle, die größer als der Speicher sind, besser ein anderes wählen.</translation>
    </message>
    <message>
        <source>It reads {0}/s: {1}</source>
        <translation>Es liest {0}/s: {1}</translation>
    </message>
    <message>
        <source>It cannot be read past the system&apos;s cache, so this may be too high.</source>
        <translation>Am Cache des Systems vorbei lässt es sich nicht lesen; der Wert kann also zu hoch sein.</translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation>unter einer Minute</translation>
    </message>
    <message>
        <source>about a minute</source>
        <translation>etwa eine Minute</translation>
    </message>
    <message>
        <source>about {0} minutes</source>
        <translation>etwa {0} Minuten</translation>
    </message>
    <message>
        <source>about {0} h {1} min</source>
        <translation>etwa {0} h {1} min</translation>
    </message>
    <message>
        <source>about {0} hours</source>
        <translation>etwa {0} Stunden</translation>
    </message>
    <message>
        <source>about {0} days</source>
        <translation>etwa {0} Tage</translation>
    </message>
    <message>
        <source>4 bits</source>
        <translation>4 Bit</translation>
    </message>
    <message>
        <source>8 bits</source>
        <translation>8 Bit</translation>
    </message>
    <message>
        <source>16 bits</source>
        <translation>16 Bit</translation>
    </message>
    <message>
        <source>32 bits</source>
        <translation>32 Bit</translation>
    </message>
    <message>
        <source>4 bits, MXFP4</source>
        <translation>4 Bit, MXFP4</translation>
    </message>
    <message>
        <source>4 bits throughout</source>
        <translation>durchgehend 4 Bit</translation>
    </message>
    <message>
        <source>as the file has it</source>
        <translation>wie in der Datei</translation>
    </message>
</context>
</TS>
