/**
 * The properties of Mantine's menus. A menu is inside the page's main landmark and contains only entries. The first
 * entry gets focus.
 */
export const menuProps = {
  withInitialFocusPlaceholder: false,
  withinPortal: true,
  portalProps: { target: '#content' },
} as const;
