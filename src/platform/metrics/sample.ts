/** One figure of a metric, and the values of its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a metric is called and what it means. */
export interface MetricFacts {
  /** Behind the prefix `trading_proxy_`, with its base unit, and `_total` where it counts (https://prometheus.io/docs/practices/naming). */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}
