import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApiKey, useCredentials } from '../api/queries.js';
import { Balances } from '../components/balances.js';
import { PageTitle } from '../components/frame.js';
import { BotsPanel } from '../components/overview/bots-panel.js';
import { Now } from '../components/overview/now.js';
import css from '../components/overview/overview.module.css';
import { FirstSteps, isSetUp, LastStep, type SetUp } from '../components/overview/set-up.js';
import { SinceYesterday } from '../components/overview/since-yesterday.js';
import { Equity } from '../components/portfolio/equity.js';
import { Exposures } from '../components/portfolio/exposure.js';
import { OpenOrders } from '../components/portfolio/open-orders.js';
import { useStoredExchanges } from '../components/portfolio/with-exchanges.js';
import { Loaded } from '../components/ui.js';

const route = getRouteApi('/inside/');

/** First what is missing, while something is; then what there is. */
function Contents(setUp: SetUp): ReactNode {
  const exchanges = useStoredExchanges(setUp.credentials);
  const { span = 'week' } = route.useSearch();
  const navigate = route.useNavigate();
  const isReady = isSetUp(setUp);
  return (
    <>
      {isReady ? null : <FirstSteps {...setUp} />}
      {exchanges.length === 0 ? null : (
        <Equity
          exchanges={exchanges}
          span={span}
          onSpan={(chosen) => {
            void navigate({ search: { span: chosen }, replace: true, resetScroll: false });
          }}
        />
      )}
      <div className={css.two}>
        <BotsPanel />
        <SinceYesterday exchanges={exchanges} />
      </div>
      {exchanges.length === 0 ? null : (
        <div className={css.even}>
          <Exposures exchanges={exchanges} />
          <OpenOrders exchanges={exchanges} />
        </div>
      )}
      <Balances exchanges={exchanges} />
      {isReady ? <LastStep {...setUp} /> : null}
    </>
  );
}

/** What a person sees each morning: what is wrong, what there is, what it brought and what goes on. */
export function Overview(): ReactNode {
  const apiKey = useApiKey();
  const credentials = useCredentials();
  const exchanges = useStoredExchanges(credentials.data);
  const both = {
    data:
      apiKey.data === undefined || credentials.data === undefined
        ? undefined
        : { apiKey: apiKey.data, credentials: credentials.data },
    error: apiKey.error ?? credentials.error,
    refetch: () => Promise.all([apiKey.refetch(), credentials.refetch()]),
  };
  return (
    <>
      <PageTitle>Overview</PageTitle>
      <Now exchanges={exchanges} />
      <Loaded query={both} height={640}>
        {(setUp) => <Contents {...setUp} />}
      </Loaded>
    </>
  );
}
