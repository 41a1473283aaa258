// Helpers for the colours of tokens in a page.

/** The switch of the colours. */
export const colours = (page) => page.getByLabel("Colour tokens");

/**
 * The coloured texts of each element with this selector, in order, with the number of their colour; joined across text nodes.
 */
export const colouredIn = (page, selector) =>
  page.evaluate((whole) => {
    const names = ["token-1", "token-2", "token-3", "token-4"];
    const ranges = names.flatMap((name, colour) =>
      [...(CSS.highlights.get(name) ?? [])].map(({ startContainer: node, startOffset, endContainer, endOffset }) => {
        if (node.nodeType !== Node.TEXT_NODE || node !== endContainer) throw new Error("a range leaves its text");
        return { node, startOffset, endOffset, colour };
      }),
    );
    const isAfter = (one, other) => one.compareDocumentPosition(other) === Node.DOCUMENT_POSITION_PRECEDING;
    ranges.sort((one, other) =>
      one.node === other.node ? one.startOffset - other.startOffset : isAfter(one.node, other.node) ? 1 : -1,
    );
    const elements = new Map();
    for (const { node, startOffset, endOffset, colour } of ranges) {
      const text = node.data.slice(startOffset, endOffset);
      const element = node.parentElement.closest(whole);
      if (!elements.has(element)) elements.set(element, []);
      const tokens = elements.get(element);
      const last = tokens.at(-1);
      // A token that continues in the next text node has the same colour there; adjacent tokens have different ones.
      if (last?.colour === colour) last.text += text;
      else tokens.push({ text, colour });
    }
    return [...elements.values()].map((tokens) => tokens.map(({ text }) => text));
  }, selector);

/** The visible tokens of a text. */
export function tokensIn(text, counter) {
  let end = 0;
  const tokens = counter.tokenLengths(text).map((length) => {
    end += length;
    return text.slice(end - length, end);
  });
  return tokens.filter((token) => token !== "");
}
