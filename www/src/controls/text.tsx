const BLANK_LINES = /^(?:[ \t]*\r?\n)+(?=[^\n])/;

/** A text without a hole where it begins with blank lines. They stay in the document, where texts are compared and marked. */
export function Text({ text }: { readonly text: string }) {
  const [blank = ""] = BLANK_LINES.exec(text) ?? [];
  if (blank === "") return <>{text}</>;
  return (
    <>
      <span hidden>{blank}</span>
      {text.slice(blank.length)}
    </>
  );
}
