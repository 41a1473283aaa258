const BLANK_LINES = /^(?:[ \t]*\r?\n)+(?=[^\n])/;

/** A text whose leading blank lines take no space. They stay in the document, because texts are compared and marked there. */
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
