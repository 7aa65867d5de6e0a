/**
 * The properties of Mantine's menus. The menu is inside the page's main landmark, and contains only its entries, of which
 * the first gets focus.
 */
export const menuProps = {
  withInitialFocusPlaceholder: false,
  withinPortal: true,
  portalProps: { target: '#content' },
} as const;
