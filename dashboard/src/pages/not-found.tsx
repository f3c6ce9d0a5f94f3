import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Frame, PageTitle } from '../components/frame.js';
import { FailureNotice } from '../components/ui.js';

export function NotFound(): ReactNode {
  return (
    <Frame isNarrow>
      <PageTitle>There is no such page</PageTitle>
      <p>
        The address may be mistyped, or from another version. Go to the <Link to="/">overview</Link>.
      </p>
    </Frame>
  );
}

/** Stands in the place of a page that could not be shown. */
export function Broken({ error }: ErrorComponentProps): ReactNode {
  return (
    <Frame isNarrow>
      <PageTitle>This page could not be shown</PageTitle>
      <FailureNotice
        error={error}
        onRetry={() => {
          location.reload();
        }}
      />
    </Frame>
  );
}
