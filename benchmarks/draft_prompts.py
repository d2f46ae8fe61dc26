"""What the benchmark of drafts asks, by kind: questions that repeat nothing, and tasks whose answers repeat what was given."""

HARBOUR = (
    "The harbour of the old town was built in three years. Its long stone pier keeps the waves away from the boats. In the morning the "
    "fishers bring their catch to the market hall, where cooks and families choose among cod, herring and crabs. At noon the bells of the "
    "church ring twelve times, and the shops close for two hours. In the evening the lamps along the pier are lit one after another, and "
    "people walk slowly to the lighthouse and back."
)
LETTER = (
    "Dear Mrs Holm, thank you for your order of 12 March. The two oak chairs are ready and will leave our workshop on Monday. The "
    "table needs another week, because the varnish has to dry between its three coats. If you would rather have all at once, please "
    "call us before Friday, and we will send the chairs and the table together. The price stays as it is in our offer. Yours "
    "sincerely, Ida Berg."
)
SHOP = '''def read_rows(path):
    rows = []
    with open(path) as file:
        for line in file:
            parts = line.strip().split(",")
            rows.append({"name": parts[0], "price": float(parts[1]), "count": int(parts[2])})
    return rows


def total_price(rows):
    total = 0.0
    for row in rows:
        total += row["price"] * row["count"]
    return total
'''
STACK = '''class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        if not self.items:
            raise IndexError("the stack is empty")
        return self.items.pop()

    def peek(self):
        if not self.items:
            raise IndexError("the stack is empty")
        return self.items[-1]
'''
PROMPTS = {
    "plain": (
        "Why is the sky blue?",
        "Tell me about a day in the life of a beekeeper.",
        "Explain to a child how a bicycle stays upright.",
    ),
    "edit": (
        f'Correct the spelling and write the whole text:\n\n{HARBOUR.replace("morning", "mornnig").replace("slowly", "slowely")}',
        f'Write this letter again, but replace "Monday" with "Tuesday":\n\n{LETTER}',
        f'Rewrite this text and replace the word "pier" with "wall":\n\n{HARBOUR}',
    ),
    "code": (
        f"Here is a Python program:\n\n```python\n{SHOP}```\n\nWrite the whole program again with type hints.",
        f"Add a docstring to each function:\n\n```python\n{SHOP}```",
        f"Add a method `size` to this class and write the whole class:\n\n```python\n{STACK}```",
    ),
    "summary": (
        f"Summarize this text in three sentences:\n\n{HARBOUR}",
        f"What are the main points of this letter?\n\n{LETTER}",
        f"Give me the key facts of this text as a list:\n\n{HARBOUR}",
    ),
    "quote": (
        f"Repeat this text word for word:\n\n{HARBOUR}",
        f"Repeat this letter word for word:\n\n{LETTER}",
        f"Quote the first three sentences of this text:\n\n{HARBOUR}",
    ),
}
