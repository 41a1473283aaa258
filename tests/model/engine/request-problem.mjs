/** The error of a refused request, with the members of OpenAI's errors. */
export class RequestProblem extends Error {
  constructor(message, { status = 400, code = null, param = null } = {}) {
    super(message);
    this.status = status;
    this.body = { error: { message, type: "invalid_request_error", param, code } };
  }
}
