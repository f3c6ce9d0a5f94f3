/** Upper bounds of times, in seconds: from what the answer lane takes to the longest that a call may. */
export const TIME_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
