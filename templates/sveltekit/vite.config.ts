import adapter from '@sveltejs/adapter-node';
import { sveltekit } from '@sveltejs/kit/vite';
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';
import { plinth } from 'plinth/vite';
import { defineConfig } from 'vite';

// The plugin starts the backend with the development server, and passes its URL and key to the app.
export default defineConfig({
  plugins: [plinth(), sveltekit({ adapter: adapter(), preprocess: vitePreprocess() })],
});
