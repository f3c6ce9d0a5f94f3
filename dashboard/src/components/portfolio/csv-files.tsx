import type { ReactNode } from 'react';
import { type FileName, useCsvFile } from '../../api/csv-files.js';
import type { Exchange, TimeSpan } from '../../api/portfolio.js';
import { save } from '../table/csv.js';
import { Button, FailureNotice, ui } from '../ui.js';
import { isBounded } from './days.js';

interface CsvFilesProps {
  readonly exchanges: readonly Exchange[];
  readonly list: FileName;
  readonly span: TimeSpan;
}

/** The list of each exchange as a file of the service, however long; one at a time, as the service has it. */
export function CsvFiles({ exchanges, list, span }: CsvFilesProps): ReactNode {
  const file = useCsvFile(list, span, (exchange, blob) => {
    save(`${exchange}-${list}.csv`, blob);
  });
  return (
    <>
      <div className={ui.row}>
        {exchanges.map(({ id, name }) => (
          <Button
            key={id}
            isSmall
            disabled={file.isPending}
            onClick={() => {
              file.mutate(id);
            }}
          >
            {file.isPending && file.variables === id ? `Reading all of ${name}…` : `All ${list} of ${name} as CSV`}
          </Button>
        ))}
        <span className={ui.hint}>
          All {isBounded(span) ? 'of the time that you chose' : 'there is'}, read by the service to the end; one at a
          time.
        </span>
      </div>
      {file.error === null ? null : <FailureNotice error={file.error} />}
    </>
  );
}
