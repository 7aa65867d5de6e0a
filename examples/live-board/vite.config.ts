import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  server: {
    host: '127.0.0.1',
    port: 5173,
    // Vite doesn't watch these folders. The database constantly writes to the first folder, and the backend itself
    // reloads the functions in the second folder.
    watch: { ignored: ['**/.plinth/**', '**/supabase/**'] },
  },
});
