"""The worker: one engine thread, frozen requests down, frozen events up; no Qt, any face.

`worker` is the thread's loop, `opened` the model that it holds, `box` what it has to say, `failures` every exception as a sentence.
"""
