/**
 * A text for a notification that shows what it says. The editor makes links of `[text](target)`,
 * which would hide a part of a command; characters without a shape could do the same.
 */
export function literal(text: string): string {
  return text
    .replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return `\\u{${code.toString(16)}}`;
    })
    .replace(/\]\(/g, ']\u200b(');
}
