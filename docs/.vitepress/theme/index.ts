/** The site's look: the default theme with Plinth's fonts, colors and pictures. */
import { h } from 'vue';
import '@fontsource-variable/geist';
import '@fontsource-variable/geist-mono';
import DefaultTheme from 'vitepress/theme-without-fonts';
import logo from '../../../web/console/logo.svg';
import light from '../../gallery/console-table.png';
import dark from '../../gallery/console-table-dark.png';
import './style.css';

const alt = 'The Console with the rows of a table';

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'nav-bar-title-before': () => h('img', { src: logo, alt: '', class: 'logo' }),
      'home-hero-after': () =>
        h('div', { class: 'picture' }, [
          h('img', { src: light, alt, class: 'only-light' }),
          h('img', { src: dark, alt, class: 'only-dark' }),
        ]),
    }),
};
