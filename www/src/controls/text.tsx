import type { ComponentChild } from "preact";
import { codePointName, HIDDEN } from "../editor/hidden.ts";

const BLANK_LINES = /^(?:[ \t]*\r?\n)+(?=[^\n])/;

/** A text whose leading blank lines take no space. They stay in the document, because texts are compared and marked there. */
export function Text({ text }: { readonly text: string }) {
  const [blank = ""] = BLANK_LINES.exec(text) ?? [];
  if (blank === "") return <PlainText text={text} />;
  return (
    <>
      <span hidden>{blank}</span>
      <PlainText text={text.slice(blank.length)} />
    </>
  );
}

/** A text whose hidden characters are marked with their names, which are not part of the document's text. */
export function PlainText({ text }: { readonly text: string }) {
  if (!/[^\0-\x7F]/.test(text) || text.search(HIDDEN) < 0) return <>{text}</>;
  const parts: ComponentChild[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    parts.push(
      text.slice(from, index),
      <span key={index} class="hidden-character" data-name={codePointName(character)}>
        {character}
      </span>,
    );
    from = index + character.length;
  }
  return <>{[...parts, text.slice(from)]}</>;
}
