// Helpers for virtual lists, of which only the rows near the screen are in the page.

/** The number of elements of the page. */
export const elements = (page) => page.evaluate(() => document.getElementsByTagName("*").length);

/** Scrolls a pane to a number of pixels, or to its `end`. */
export const scrollTo = (page, pane, top) =>
  page.locator(pane).evaluate((element, to) => {
    element.scrollTop = to === "end" ? element.scrollHeight : to;
  }, top);

/** The results of `make` for each index below `count`. */
export const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));
