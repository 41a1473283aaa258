const collator = new Intl.Collator("en", { numeric: true });

/** Compares names as people order them: x2 before x10. */
export const naturally = (one: string, other: string): number => collator.compare(one, other);
