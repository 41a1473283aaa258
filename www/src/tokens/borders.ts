/**
 * The end offsets of the tokens of a text, from their lengths. A token of length 0 is omitted and shown with the next one, so
 * that neighbours in this list are neighbours in the text.
 */
export function endsOf(lengths: readonly number[]): Uint32Array {
  let end = 0;
  return Uint32Array.from(
    lengths.filter((length) => length > 0),
    (length) => {
      end += length;
      return end;
    },
  );
}
