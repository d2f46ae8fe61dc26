"""From messages to an answer: session, sampler, stop strings, n-gram drafts."""
