import react from '@vitejs/plugin-react';
import { plinth } from 'plinth/vite';
import { defineConfig } from 'vite';

// The plugin starts the backend with the development server, and passes its URL and key to the app.
export default defineConfig({ plugins: [plinth(), react()] });
