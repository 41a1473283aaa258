const paths = {
  up: "M12 19V5m-6 6 6-6 6 6",
  down: "M12 5v14m-6-6 6 6 6-6",
  next: "M5 12h14m-6-6 6 6-6 6",
  previous: "M19 12H5m6 6-6-6 6-6",
  source: "m8 7-5 5 5 5m8-10 5 5-5 5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "m5 13 4 4L19 7",
  remove: "M6 6l12 12M18 6 6 18",
  play: "M7 4.5v15l12-7.5z",
  stop: "M6 6h12v12H6z",
  add: "M12 5v14M5 12h14",
  chevron: "m9 6 6 6-6 6",
  handle: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  pin: "M9 4h6l-1 6 3 3v2H7v-2l3-3-1-6zm3 11v6",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
  sun: "M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10Zm0-15v2m0 16v2m10-10h-2M4 12H2m17-7-1.5 1.5M6.5 17.5 5 19m14 0-1.5-1.5M6.5 6.5 5 5",
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "m15 14 5-5-5-5m5 5H10a6 6 0 0 0 0 12h3",
  menu: "M4 7h16M4 12h16M4 17h16",
  system: "M3 5h18v11H3zm6 15h6m-3-4v4",
  alert: "M12 8v5m0 3.5v.01M10.3 3.9 2.2 18a2 2 0 0 0 1.7 3h16.2a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0Z",
  duplicate: "M8 8h12v12H8zM16 8V4H4v12h4M14 11v6m-3-3h6",
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
