/// <reference types="vite/client" />

/** The theme's CSS variables, which `build/theme-css.ts` generates. */
declare module 'virtual:plinth-theme.css';
