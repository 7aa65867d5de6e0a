import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  server: {
    host: '127.0.0.1',
    port: 5173,
    // The database writes there all the time, and functions are reloaded by the backend.
    watch: { ignored: ['**/.plinth/**', '**/supabase/**'] },
  },
});
