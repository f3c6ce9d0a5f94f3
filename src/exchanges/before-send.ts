/**
 * The call awaits this function after the wait for a place among the calls in flight, and before the first byte. Where the function
 * throws, the call throws the same error and sends nothing. Where the function was not called, nothing was sent.
 */
export type BeforeSend = () => Promise<void>;
