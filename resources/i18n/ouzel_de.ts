<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en">
<context>
    <name>AboutPage</name>
    <message>
        <source>Ouzel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ouzel {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Qt {0}, PySide6 {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing leaves this computer: no telemetry, and no request that you did not ask for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Works that Ouzel is made of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ouzel: Apache-2.0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Works of others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>see its text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The package brings no text of its licence. Its home: {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Answers</name>
    <message>
        <source>{0} tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first after {0} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}% cache hits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1} drafts kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cut at the longest length that is set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cut: the context is full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ended by an error</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AnswersPage</name>
    <message>
        <source>Answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model&apos;s own ({0})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How freely words are drawn; 0 always takes the likeliest one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw from the likeliest tokens that together have this probability; 1 is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw from this many of the likeliest tokens; 0 is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out tokens that are less likely than this share of the likeliest one; 0 is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Above 1, words that occurred already become less likely; 1 is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1, since the temperature is 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens after which an answer is cut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Until the answer ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A new one for each answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same seed, settings and conversation give the same answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the model should know or how it should answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Attachments</name>
    <message>
        <source>{0} is no file. Attach single files.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} is larger than {1} MB. Attach a part of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} cannot be read ({1}). Check its permissions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} has no text. A scanned PDF needs text recognition first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} has more than {1} characters of text. Attach a part of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} is no text in UTF-8. Attach text, code or PDF files.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} is no text. Attach text, code or PDF files.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} is protected by a password. Remove it, then attach the file again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} is no PDF that can be read ({1}).</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Attention</name>
    <message>
        <source>The answer is ready.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer could not be finished.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CarefulStart</name>
    <message>
        <source>Ouzel did not end properly last time: it was opening {0}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ouzel did not end properly last time: it was working with {0}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ouzel did not end properly last time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start carefully?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your chats are saved. If it happens again, open no model, or open it with the usual engine settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open no model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open no model, usual settings</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Catalogue</name>
    <message>
        <source>A small model whose training data and code are open too; quick, and good for a first try.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OpenAI&apos;s smaller open model; it thinks before it answers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Google&apos;s all-round model for many languages; its text part runs here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An all-round model that uses few weights for each token, so it is quick for its size.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Made for long texts: its memory hardly grows with them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Large, but it uses as few weights for each token as much smaller ones.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Z.ai&apos;s middle model, strong at programming and at using tools.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OpenAI&apos;s larger open model; it thinks before it answers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A very large all-round model that can think before it answers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A trillion parameters, published in 4 bits; it thinks at length.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The largest one here, published in 4 bits; for patient work on a large drive.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatControl</name>
    <message>
        <source>The chat was moved to the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message was deleted.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatDelegate</name>
    <message>
        <source>Name of the conversation</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatDesk</name>
    <message>
        <source>Copied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete this chat for good? It cannot be brought back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chat was copied as Markdown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer is complete.</source>
        <translation type="unfinished"></translation>
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
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} could not be written ({1}). Choose another place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported to {0}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One chat was imported.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} chats were imported.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatModel</name>
    <message>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatOptionsDialog</name>
    <message>
        <source>Options of this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Presets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save these options as a preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove the chosen preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the model should know or how it should answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How freely words are drawn; 0 always takes the likeliest one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw from the likeliest tokens that together have this probability; 1 is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw from this many of the likeliest tokens; 0 is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out tokens that are less likely than this share of the likeliest one; 0 is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Above 1, words that occurred already become less likely; 1 is off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens after which an answer is cut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>until the answer ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a new one for each answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same seed, options and conversation give the same answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One a line; the answer ends where one of them would begin. \n stands for a line break.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop strings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the model does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether the model thinks before it answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as a preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatReader</name>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatView</name>
    <message>
        <source>Conversations</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Chips</name>
    <message>
        <source>Attached files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>counting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take {0} off</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Column</name>
    <message>
        <source>Conversation</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>A new version of a message that was sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel the new version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach files</source>
        <translation>Dateien anhängen</translation>
    </message>
    <message>
        <source>Think before answering</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Options of this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinks before answering</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answers without thinking</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextBar</name>
    <message>
        <source>Leave out oldest turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load with a larger context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The context is full: {0} tokens, and it holds {1} with the answer. What shall be done?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message is too long: {0} tokens, and the context holds {1} with the answer. Shorten it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load with {0} tokens</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextChoice</name>
    <message>
        <source>The last message alone is too long for the context. Shorten it, or load a larger context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is room only without all earlier turns. Start a new chat, or load a larger context.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>Context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The prompt has {0} tokens; the context holds {1}, the answer included.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1} tokens</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Something went wrong</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EngineControl</name>
    <message>
        <source>The folder of models was not changed: {0}. Check the drive of {1}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locate…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EnginePage</name>
    <message>
        <source>Engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens that a conversation can have</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What fits the memory limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In 8 bits: half the memory for the same context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory of the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Up to {0} GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None: read again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chats ready to go on, on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One per core</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threads that compute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Faster where text repeats; the answer is the same</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft ahead from what was written already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Slower, and without rounding of activations to 8 bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exact arithmetic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These take effect when the model is loaded again; the model bar says so.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FoldersPage</name>
    <message>
        <source>Folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change the folder of models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As usual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep models in the usual folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the folder of models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the folder of data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chats and settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New models go there. Those in the folder before stay where they are, and stay listed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It moves with the environment variable OUZEL_HOME.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This folder cannot be written. New models find no place there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder of models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models cannot be kept in {0}: it is no folder that can be written.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GaugeStrip</name>
    <message>
        <source>Engine gauges</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens per second: written ones, or read ones while the prompt is read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cache hits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the experts that were in memory when they were needed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes of experts read from disk per second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory that the engine has allocated by its plan, against its limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of the drafted tokens that the model agreed with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Gauges</name>
    <message>
        <source>it stalls, others are read instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it fails, others are read instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}/s while reading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} errors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Experts are read ahead where that is measured to gain.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read ahead: {0} experts, {1}% of them wanted, {2}% in time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is off now, since it did not gain.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The trunk is locked in memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The trunk is not locked in memory: {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Groups</name>
    <message>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 7 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 30 days</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HelpHost</name>
    <message>
        <source>Something unexpected went wrong ({0}). Your chats are saved; if it happens again, restart Ouzel.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ouzel crashed the last time that it ran. Your chats are saved.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HelpWindow</name>
    <message>
        <source>Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pages of the help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Ouzel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Keys</name>
    <message>
        <source>in the message field</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in the side list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>send the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>break the line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stop the answer; leave an edit; leave the search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>edit the last message, where the field is empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>go to the message field</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>search all chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>attach files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open a model folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>get a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show or hide the side list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>options of this chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>these keys, versions and the log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>go from message to message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>choose an action of the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rename the chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move the chat to the trash</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>KeysPage</name>
    <message>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What they do</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Leaving</name>
    <message>
        <source>An answer is being written. What is there of it is kept; you can have it continued later.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A model is being made. What is done is kept; it goes on when you start it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A model is being fetched. What came is kept; it goes on when Ouzel is started again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit Ouzel?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Don&apos;t ask again</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LogPage</name>
    <message>
        <source>Machine, settings, counters and the log, without text of chats, access tokens, and names in paths. Ouzel never sends it: to report a problem, copy it and paste it where you report. What you see here is all of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy diagnostics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the log&apos;s folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the diagnostics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text (*.txt)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It could not be saved: {0}. Choose another folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No program opens folders here. The log lies in {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Main</name>
    <message>
        <source>Safe mode: no model was opened, and the engine&apos;s settings are the usual ones.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another Ouzel is open on the same data, and it does not answer. End it, then start again.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Ouzel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} is a published checkpoint. It is converted once into Ouzel&apos;s own format before it can be opened.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Convert</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} holds GGUF files. One of them is converted once into Ouzel&apos;s own format before it can be opened.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose one…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} holds no model. Choose a folder NAME.ouzel, or a Hugging Face checkpoint with a config.json.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A model&apos;s file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GGUF files (*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This link is not opened: {0}. Only web and mail links are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open this link in another program?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open link</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessageBar</name>
    <message>
        <source>Copy message as Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit and send again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete message and what follows</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessageField</name>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelBar</name>
    <message>
        <source>Show or hide the list of chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine status</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get a model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set up the starter model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}: drive missing, locate…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory that the engine may take; this machine can give up to {0}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model needs at least {0}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NetworkPage</name>
    <message>
        <source>Network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None, or http://HOST:PORT</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Certificates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The system&apos;s, or more in a PEM file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file of certificates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for an access token…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget the token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget the access token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The variable HF_ENDPOINT says {0}, and that counts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A variable of the environment, as HTTPS_PROXY, says otherwise, and that counts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An access token for {0} is in the system&apos;s keyring.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The variable HF_TOKEN holds an access token for {0}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An access token for {0} is kept until Ouzel closes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An access token for {0} is in a file that only this account can read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some models are only for accounts that accepted their licence. A token of such an account, for {0}, opens them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Certificates (*.pem *.crt *.cer)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Message from Ouzel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Do what the message offers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Presentation</name>
    <message>
        <source>Load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Giving the memory back…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for {0}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the prompt: {0} of {1} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the prompt…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closing…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings of the model changed. Reload to use them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all {0} experts fit in the cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1} experts fit in the cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready · {0} tokens of context · {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} · reads pass through the system&apos;s cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening the model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading the trunk into memory…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading the tokenizer…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preparing memory…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloading the base weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpacking the base weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Converting the trunk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Converting the experts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking the checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for another Ouzel that builds it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}: {1} of {2}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load a model to start chatting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set up a model to start chatting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write your message while the model gets ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send ({0})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A message can be sent once a model is loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} TB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} MB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} kB</source>
        <translation type="unfinished"></translation>
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
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n setting(s) that are not shown differ from the usual.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Set everything here back to how it was at first? Chats, models, folders and access tokens stay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Ouzel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More about conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import, export and trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search all conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat ({0})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your chats appear here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trash: kept for 30 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The trash is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete for good…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No longer pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import chats…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export all as JSON…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trash</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Tile</name>
    <message>
        <source>not measured yet</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>The version before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The next version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is above is no longer given to the model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give the model the whole conversation again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give it all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy this code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide what was thought</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show what was thought</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} min {1} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thought</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking… {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thought for {0}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>Latest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Jump to the latest text</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Trouble</name>
    <message>
        <source>What went wrong</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Turns</name>
    <message>
        <source>{0} · {1} characters</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>A water ouzel beside a stream</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get another model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get another model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of the set-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Explain how a rainbow forms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A short poem about a river</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Three tips for better sleep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What makes bread rise?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What shall we talk about?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models larger than memory, on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set up the starter model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a larger model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ouzel keeps a model&apos;s trunk in memory and streams its experts from disk. A small starter model is made in about a minute from a public download of {0}. Nothing that you write leaves this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load a model, or open a folder with another one. Nothing that you write leaves this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} answers on this computer; nothing that you write leaves it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WindowPage</name>
    <message>
        <source>Window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}; {1} breaks the line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only where no window of Ouzel is in front</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the system lets it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tell me on the desktop when a long answer is ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the computer awake while the engine works</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask before quitting while something works</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is done is kept either way</source>
        <translation type="unfinished"></translation>
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
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of the download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start chatting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} for {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>download {0} · made on this computer in about a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starter model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs everywhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>download {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>download unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} · on disk {1} · {2}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A small model to try everything with. It is made on this computer from a public download and needs little memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apache-2.0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} parameters, {1} active for each token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory: at least {0}, better {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>disk: {0}, and {1} while it is made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} million</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} billion</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready for a first chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A water ouzel beside a stream</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first answers are slower: what the model uses most comes into memory as you go.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is ready yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} answers already. You can chat while the rest comes; what is missing is fetched when it is needed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} lies in {1}. Every part of it was checked.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would help:
{0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Licence: {0}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the licence {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} free of {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System drive ({0})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cannot be written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where shall models go?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A model is read from its drive while it answers, so a fast drive with room is the best place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drives</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder for models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test of the drive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This folder cannot be written. Choose another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1} are free on this drive.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Testing how fast this drive reads…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A test of five seconds tells how fast models on this drive would answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop the test</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test the drive&apos;s speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine is busy. Wait until the answer is written, or stop it, then try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You can chat with {0} already; the rest of it is still coming.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All of {0} is here now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} is ready.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A drive is missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} needs {1}, which is not there. Connect its drive and look again, or say where the folder is now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locate…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take off the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where is {0} now?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} is found again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What runs well on this computer comes first. Nothing is fetched before you say so.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which model?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the model comes from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Catalogue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any repository</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test of this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measuring the drive and the memory of this computer…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repository</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>owner/name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>main branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hub</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder or file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a model&apos;s folder, a .gguf file or NAME.ouzel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The name of a model as its page on the hub has it. The next page says what it needs and how fast it is on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A GGUF file, a folder with a published model (config.json and safetensors files), or a folder NAME.ouzel made before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The variable HF_ENDPOINT sets it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set it up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A model&apos;s folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A model&apos;s file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GGUF files (*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fewer bits take less disk and memory and answer faster; more bits stay closer to the published model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How shall it be made?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking at the source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start chatting before everything has come</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is missing is fetched when it is needed; the answers are the same, only slower</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a name without any of \ / : * ? &quot; &lt; &gt; |</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking at {0}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Convert</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recommended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} ({1})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} on disk · memory from {1}, better {2}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>repository</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}; {1} for the part that every word needs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as published</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GGUF file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>finished model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>published model on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>licence not named</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>version {0}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It takes {0} of disk while it is made and {1} afterwards; what it is made from stays as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The download is {0}: {1} at 100 Mbit/s, {2} at 1 Gbit/s. It is converted as it comes: {3} of disk at most, {4} in the end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You can close this window, or Ouzel: it goes on where it was.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On its way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is being fetched.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This system does not let Ouzel keep it awake. If it goes to sleep, the download waits and goes on afterwards.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The computer stays awake meanwhile.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pausing…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Removing what was fetched…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused. What was fetched is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It ended early. What was fetched is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready. Every part was checked.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Beginning…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No data arrives</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The drive is full: {0}. Free space and it goes on by itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You can chat already, slower until the rest has come.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waits for the download before it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking at what is to be fetched…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking the source…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloading and converting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Converting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copying</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking every part…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finishing…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Working…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (and {0} more)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}%</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}: needs you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}: paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Free space…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open its page…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start again…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Access token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the token is kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep in the system&apos;s keyring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only until Ouzel closes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep in a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This repository is only for accounts that accepted its licence; your token opens it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This repository is only for accounts that accepted its licence. Accept it on its page and give a token.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file is readable by your account only, but it is not encrypted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is sent to the hub&apos;s own host only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step {0} of {1}: {2}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Options</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0}

Go on all the same?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model does not run here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard {0}? What was fetched of it is removed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open this page in the browser?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {0} tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {0} to {1} tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>needs {0} more memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>needs {0} more disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not run here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{0} does not run on this computer: {1}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a fast drive, good for models larger than memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a fair drive. Models larger than memory answer from it, the largest ones slowly.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a slow drive. Models that fit in memory run well from it; larger ones answer slowly.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a very slow drive. For models larger than memory, choose another one if you can.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It reads {0}/s: {1}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It cannot be read past the system&apos;s cache, so this may be too high.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {0} minutes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {0} h {1} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {0} hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about {0} days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>4 bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>8 bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>16 bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>32 bits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>4 bits, MXFP4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>4 bits throughout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as the file has it</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
