// Characters that are not visible: they may carry instructions for a model that a reader does not see.

/**
 * Characters without a glyph: of zero width, for the direction of writing, tags and fillers. Joiners, selectors of a variant and tags
 * count only where they have no visible effect: not after emoji and letters of scripts that need joiners, after a first selector, and
 * not in a flag.
 */
export const HIDDEN =
  /(?!\u200C|\u200D|[\uFE00-\uFE0F]|[\u{E0020}-\u{E007F}])\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]|(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]{0,6})[\u{E0020}-\u{E007F}]|(?<=[\uFE00-\uFE0F])[\uFE00-\uFE0F]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|\p{M}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Mongolian})(?:\u200C|\u200D)/gu;

/** The name of a hidden character, such as `U+200B`. */
export const codePointName = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** The text with the names of its hidden characters in their places. */
export const withMarks = (text: string): string => text.replace(HIDDEN, (character) => `[${codePointName(character)}]`);
