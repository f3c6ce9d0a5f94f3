import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { Gate } from './components/gate.js';
import { searchOf } from './components/markets/search.js';
import { Broken, NotFound } from './pages/not-found.js';
import { session } from './session/session.js';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Broken });

/** Pages of whoever is signed in; everybody else signs in first, and comes back. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Gate,
  errorComponent: Broken,
  beforeLoad: async ({ location }) => {
    const { phase } = await session.find();
    if (phase !== 'in') throw redirect({ to: '/sign-in', search: { return: location.href } });
  },
});

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview.js'), 'Overview'),
});
const apiKey = createRoute({
  getParentRoute: () => inside,
  path: '/api-key',
  component: lazyRouteComponent(() => import('./pages/api-key.js'), 'ApiKeyPage'),
});
const credentials = createRoute({
  getParentRoute: () => inside,
  path: '/credentials',
  component: lazyRouteComponent(() => import('./pages/credentials.js'), 'CredentialsPage'),
});
const portfolio = createRoute({
  getParentRoute: () => inside,
  path: '/portfolio',
  component: lazyRouteComponent(() => import('./pages/portfolio.js'), 'Portfolio'),
});
const activity = createRoute({
  getParentRoute: () => inside,
  path: '/activity',
  component: lazyRouteComponent(() => import('./pages/activity.js'), 'ActivityPage'),
});
const orderLife = createRoute({
  getParentRoute: () => inside,
  path: '/activity/orders/$id',
  component: lazyRouteComponent(() => import('./pages/order-life.js'), 'OrderLifePage'),
});
const profile = createRoute({
  getParentRoute: () => inside,
  path: '/profile',
  component: lazyRouteComponent(() => import('./pages/profile.js'), 'ProfilePage'),
});
const markets = createRoute({
  getParentRoute: () => inside,
  path: '/markets',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./pages/markets.js'), 'Markets'),
});
const market = createRoute({
  getParentRoute: () => inside,
  path: '/markets/$exchange/$id',
  component: lazyRouteComponent(() => import('./pages/market.js'), 'MarketPage'),
});

/** A page inside this dashboard; anything else leads to the overview. */
function returnOf(search: Record<string, unknown>): { return: string } {
  const wanted = search.return;
  const isOurs = typeof wanted === 'string' && /^\/(?![/\\])/.test(wanted);
  return { return: isOurs ? wanted : '/' };
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: returnOf,
  component: lazyRouteComponent(() => import('./pages/sign-in.js'), 'SignIn'),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('./pages/sign-up.js'), 'SignUp'),
});
const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./pages/passwords.js'), 'ForgotPassword'),
});
const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./pages/passwords.js'), 'ResetPassword'),
});
const verify = createRoute({
  getParentRoute: () => root,
  path: '/verify-email',
  component: lazyRouteComponent(() => import('./pages/verify-email.js'), 'VerifyEmail'),
});
const oauth = createRoute({
  getParentRoute: () => root,
  path: '/oauth/callback',
  component: lazyRouteComponent(() => import('./pages/oauth-callback.js'), 'OAuthCallback'),
});
const deleted = createRoute({
  getParentRoute: () => root,
  path: '/account-deleted',
  component: lazyRouteComponent(() => import('./pages/account-deleted.js'), 'AccountDeleted'),
});

const routeTree = root.addChildren([
  inside.addChildren([overview, portfolio, markets, market, activity, orderLife, apiKey, credentials, profile]),
  signIn,
  signUp,
  forgot,
  reset,
  verify,
  oauth,
  deleted,
]);

export const router = createRouter({ routeTree, basepath: '/dashboard', defaultPreload: 'intent' });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
