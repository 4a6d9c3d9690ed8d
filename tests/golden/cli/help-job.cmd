stint help job
