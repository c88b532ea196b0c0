import { render } from 'preact';
import { App } from './app.tsx';

/** Mounts the dashboard. Everything else is in `app.tsx`. */
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
