"""What the model is told beside the user's words: instructions, skills, attachments, mentions."""
