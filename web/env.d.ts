/// <reference types="vite/client" />

/** The theme's CSS variables, made by `build/theme-css.ts`. */
declare module 'virtual:plinth-theme.css';
