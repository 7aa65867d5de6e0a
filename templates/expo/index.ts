import { registerRootComponent } from 'expo';
import { App } from './components/App';

registerRootComponent(App);
