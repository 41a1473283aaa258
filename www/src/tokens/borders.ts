/**
 * Where the tokens of a text end, of the lengths of all. A token without a length has no place in the text: it is shown with
 * the next one, so that neighbours in this list are neighbours in the text.
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
