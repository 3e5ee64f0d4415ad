// Requests to the server.

/** A failed request. */
export class ApiError extends Error {
  /** `at` is the index of the illegal turn or null, `wait` the seconds before a retry or null. */
  constructor(message, status, at = null, wait = null) {
    super(message);
    Object.assign(this, { status, at, wait });
  }
}

async function answerOf(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { error: `the answer of the server (status ${response.status}) is not JSON` };
  }
}

/** The address of a path of the server, which may be in a folder of its host. */
export function addressOf(path) {
  return new URL(`..${path}`, import.meta.url);
}

/** Sends a request, by POST if there is a body and otherwise by GET; returns the JSON answer. */
export async function call(path, body, signal) {
  const request = { signal };
  if (body !== undefined) {
    request.method = 'POST';
    request.headers = { 'Content-Type': 'application/json' };
    request.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(addressOf(path), request);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError('The server does not answer. Is it still running?', 0);
  }
  const answer = await answerOf(response);
  if (response.ok && answer?.error === undefined) return answer;
  const wait = Number(response.headers.get('Retry-After')) || null;
  throw new ApiError(answer.error ?? response.statusText, response.status, answer.at ?? null, wait);
}

/** Whether the page itself aborted the request. */
export function isAborted(error) {
  return error.name === 'AbortError';
}
