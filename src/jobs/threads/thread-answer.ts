/** A coded error would lose its code between threads, so it travels as data. */
import { ElsewiseError } from '../../documents/error.js';
import { KERNEL_ID, PREPARING, type Task, type ThreadReply, type ThreadTask } from './messages.js';
import { kernelThread } from './thread-clock.js';

export function answerSafely<T extends Task, R>(
  answer: (task: ThreadTask<T>) => Promise<R>,
): (task: ThreadTask<T>) => Promise<R | ThreadReply<T>> {
  const kernelId = kernelThread();
  return async (task) => {
    Atomics.store(task.progress, KERNEL_ID, kernelId);
    Atomics.store(task.progress, 0, PREPARING);
    try {
      return await answer(task);
    } catch (error) {
      if (!(error instanceof ElsewiseError)) throw error;
      const { code, path, detail, faults } = error;
      return { refusal: { code, message: detail, path, faults } };
    }
  };
}
