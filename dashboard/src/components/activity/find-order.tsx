import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CallForm, TextField } from '../form.js';
import { Card } from '../ui.js';

/** Leads from any id of an order to its life. */
export function FindOrder(): ReactNode {
  const navigate = useNavigate();
  return (
    <Card title="What happened to an order?">
      <CallForm
        action="Find it"
        onSend={async (field) => {
          await navigate({ to: '/activity/orders/$id', params: { id: field('id').trim() } });
        }}
      >
        <TextField
          label="Order id"
          name="id"
          autoComplete="off"
          hint="Or the client order id, or the request id (req_…) that an answer or an error named."
        />
      </CallForm>
    </Card>
  );
}
