import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { exchangeIn, written } from './address.js';
import type { ExchangeId } from './api/client.js';
import { activitySearchOf } from './components/activity/search.js';
import { marketViewOf, searchOf } from './components/markets/search.js';
import { overviewSearchOf } from './components/overview/search.js';
import { portfolioSearchOf } from './components/portfolio/search.js';
import { FramedPending, FramedTrouble, NotFound, Pending, Trouble } from './pages/instead.js';
import { loadAllParts, part } from './parts.js';
import { isPageOutdated } from './service.js';
import { pagePath } from './session/page-path.js';
import { session } from './session/session.js';

const root = createRootRoute({ component: Outlet, errorComponent: FramedTrouble });

/** Pages of whoever is signed in; everybody else signs in first, and comes back. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: part(() => import('./components/gate.js'), 'Gate'),
  errorComponent: FramedTrouble,
  pendingComponent: FramedPending,
  beforeLoad: async ({ location }) => {
    const { phase } = await session.find();
    if (phase !== 'in') throw redirect({ to: '/sign-in', search: { return: location.href } });
  },
});

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  validateSearch: overviewSearchOf,
  component: part(() => import('./pages/overview.js'), 'Overview'),
});
const apiKey = createRoute({
  getParentRoute: () => inside,
  path: '/api-key',
  component: part(() => import('./pages/api-key.js'), 'ApiKeyPage'),
});
const bots = createRoute({
  getParentRoute: () => inside,
  path: '/bots',
  component: part(() => import('./pages/bots.js'), 'BotsPage'),
});
const credentials = createRoute({
  getParentRoute: () => inside,
  path: '/credentials',
  component: part(() => import('./pages/credentials.js'), 'CredentialsPage'),
});
const portfolio = createRoute({
  getParentRoute: () => inside,
  path: '/portfolio',
  validateSearch: portfolioSearchOf,
  component: part(() => import('./pages/portfolio.js'), 'Portfolio'),
});
const activity = createRoute({
  getParentRoute: () => inside,
  path: '/activity',
  validateSearch: activitySearchOf,
  component: part(() => import('./pages/activity.js'), 'ActivityPage'),
});
const orderLife = createRoute({
  getParentRoute: () => inside,
  path: '/activity/orders/$id',
  validateSearch: ({ exchange }: Record<string, unknown>) =>
    written<{ exchange: ExchangeId }>({ exchange: exchangeIn(exchange) }),
  component: part(() => import('./pages/order-life.js'), 'OrderLifePage'),
});
const profile = createRoute({
  getParentRoute: () => inside,
  path: '/profile',
  component: part(() => import('./pages/profile.js'), 'ProfilePage'),
});
const markets = createRoute({
  getParentRoute: () => inside,
  path: '/markets',
  validateSearch: searchOf,
  component: part(() => import('./pages/markets.js'), 'Markets'),
});
const market = createRoute({
  getParentRoute: () => inside,
  path: '/markets/$exchange/$id',
  validateSearch: marketViewOf,
  component: part(() => import('./pages/market.js'), 'MarketPage'),
});

/** Whatever has no page of its own. */
const unknown = createRoute({ getParentRoute: () => inside, path: '$', component: NotFound });

/** What stands in the place of pages that bring their own frame. */
const FRAMED = { errorComponent: FramedTrouble, pendingComponent: FramedPending };

/** Where the sign-in leads. */
function returnOf(search: Record<string, unknown>): { return: string } {
  return { return: pagePath(search.return) };
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: returnOf,
  ...FRAMED,
  component: part(() => import('./pages/sign-in.js'), 'SignIn'),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  ...FRAMED,
  component: part(() => import('./pages/sign-up.js'), 'SignUp'),
});
const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  ...FRAMED,
  component: part(() => import('./pages/passwords.js'), 'ForgotPassword'),
});
const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  ...FRAMED,
  component: part(() => import('./pages/passwords.js'), 'ResetPassword'),
});
const verify = createRoute({
  getParentRoute: () => root,
  path: '/verify-email',
  ...FRAMED,
  component: part(() => import('./pages/verify-email.js'), 'VerifyEmail'),
});
const oauth = createRoute({
  getParentRoute: () => root,
  path: '/oauth/callback',
  ...FRAMED,
  component: part(() => import('./pages/oauth-callback.js'), 'OAuthCallback'),
});
const deleted = createRoute({
  getParentRoute: () => root,
  path: '/account-deleted',
  ...FRAMED,
  component: part(() => import('./pages/account-deleted.js'), 'AccountDeleted'),
});

const routeTree = root.addChildren([
  inside.addChildren([
    overview,
    portfolio,
    markets,
    market,
    activity,
    orderLife,
    bots,
    apiKey,
    credentials,
    profile,
    unknown,
  ]),
  signIn,
  signUp,
  forgot,
  reset,
  verify,
  oauth,
  deleted,
]);

/** How long the page before stays while the next is on its way, in milliseconds. */
const PENDING_MS = 500;

export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultErrorComponent: Trouble,
  defaultPendingComponent: Pending,
  defaultPendingMs: PENDING_MS,
});

// After an upgrade, the next change of page loads all anew: parts of the version before are gone.
router.subscribe('onBeforeNavigate', ({ pathChanged, toLocation }) => {
  if (isPageOutdated() && pathChanged) location.assign(toLocation.publicHref);
});

/** After the first page is shown, in milliseconds. */
const LOAD_ALL_MS = 3_000;

const stopWaiting = router.subscribe('onRendered', () => {
  stopWaiting();
  setTimeout(() => {
    // What does not come now comes when it is needed.
    loadAllParts().catch(() => undefined);
  }, LOAD_ALL_MS);
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
