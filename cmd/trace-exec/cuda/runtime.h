/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of the runtime, defined in cudart/, that functions of the driver call. */
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H

#include "cudart/graph.h"

struct graph_exec;
struct allocation_params;
struct pool;
struct hint;

/* device.c, status.c */
int cudaDeviceGetAttribute(int *to, int number, int device);
int cudaDeviceGetPCIBusId(char *to, int n, int device),
	cudaDeviceGetByPCIBusId(int *device, const char *name);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceGetP2PAttribute(int *to, int attribute, int device, int peer);
int cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
int cudaDeviceGetLimit(size_t *to, int which), cudaDeviceSetLimit(int which, size_t value);
int cudaDeviceGetCacheConfig(int *to), cudaDeviceSetCacheConfig(int to);
int cudaDeviceGetSharedMemConfig(int *to), cudaDeviceSetSharedMemConfig(int to);
int cudaDeviceSynchronize(void), cudaDeviceReset(void), cudaProfilerStart(void);
int cudaGetDeviceCount(int *n);

/* allocate.c, pool.c, pointer.c, managed.c */
int cudaMalloc(void **to, size_t n), cudaFree(void *p), cudaFreeHost(void *p);
int cudaMallocPitch(void **to, size_t *pitch, size_t width, size_t height);
int cudaMallocManaged(void **to, size_t n, unsigned flags),
	cudaHostAlloc(void **to, size_t n, unsigned flags);
int cudaMemGetInfo(size_t *unused, size_t *all);
int cudaMallocAsync(void **to, size_t n, struct stream *s), cudaFreeAsync(void *p, struct stream *s);
int cudaMallocFromPoolAsync(void **to, size_t n, struct pool *p, struct stream *s);
int cudaMemPoolCreate(struct pool **to, const void *properties), cudaMemPoolDestroy(struct pool *p);
int cudaMemPoolSetAttribute(struct pool *p, int attribute, void *value);
int cudaMemPoolGetAttribute(struct pool *p, int attribute, void *value);
int cudaMemPoolTrimTo(struct pool *p, size_t keep);
int cudaMemPoolSetAccess(struct pool *p, const void *access, size_t n);
int cudaMemPoolGetAccess(int *flags, struct pool *p, const void *place);
int cudaMemGetDefaultMemPool(struct pool **to, const void *place, int type);
int cudaMemGetMemPool(struct pool **to, const void *place, int type);
int cudaMemSetMemPool(const void *place, int type, struct pool *p);
int cudaDeviceGetDefaultMemPool(struct pool **to, int device),
	cudaDeviceGetMemPool(struct pool **to, int device);
int cudaDeviceSetMemPool(int device, struct pool *p);
int cudaHostRegister(void *p, size_t n, unsigned flags), cudaHostUnregister(void *p);
int cudaHostGetDevicePointer(void **to, void *p, unsigned flags), cudaHostGetFlags(unsigned *flags, void *p);
struct memory_location {
	int type, id;
};
int cudaMemPrefetchAsync_v2(
	const void *base, size_t n, struct memory_location l, unsigned flags, const struct stream *s);
int cudaMemRangeGetAttribute(int *to, size_t bytes, int attribute, const void *base, size_t n);
int cudaMemRangeGetAttributes(
	int **to, const size_t *bytes, const int *attribute, size_t n_attributes, const void *base, size_t n);
int cudaMemAdvise_v2(const void *base, size_t n, int advice, struct memory_location l);
int cudaStreamAttachMemAsync(const struct stream *s, const void *base, size_t n, unsigned flags);

/* copy.c, array.c */
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, struct stream *s);
int cudaMemcpy3DAsync(const struct copy_3d *c, struct stream *s);
int cudaMalloc3DArray(struct array **to, const struct channels *c, struct extent x, unsigned flags);
int cudaFreeArray(struct array *a);
int cudaMallocMipmappedArray(
	struct mipmap **to, const struct channels *c, struct extent x, unsigned levels, unsigned flags);
int cudaGetMipmappedArrayLevel(struct array **to, const struct mipmap *m, unsigned level);
int cudaFreeMipmappedArray(struct mipmap *m);
int cudaArrayGetInfo(struct channels *c, struct extent *x, unsigned *flags, const struct array *a);

/* launch.c, occupancy.c */
int cudaLaunchKernelExC(const struct launch_config *config, const void *host, void **args);
int cudaLaunchHostFunc(struct stream *stream, void (*call)(void *), void *arg);
int cudaStreamAddCallback(
	struct stream *stream, void (*call)(struct stream *, int, void *), void *arg, unsigned flags);
int cudaFuncGetAttributes(struct func_attributes *to, const void *host);
int cudaFuncSetAttribute(const void *host, int attribute, int value);
int cudaFuncSetCacheConfig(const void *host, int config);
int cudaFuncGetName(const char **to, const void *host);
int cudaFuncGetParamInfo(const void *host, size_t i, size_t *offset, size_t *size);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *to, const void *host, int threads, size_t dynamic);
int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *to, const void *host, int blocks, int threads);
int cudaOccupancyMaxActiveClusters(int *to, const void *host, const struct launch_config *from);
int cudaOccupancyMaxPotentialClusterSize(int *to, const void *host, const struct launch_config *from);

/* ipc.c */
int cudaIpcGetMemHandle(struct ipc_handle *to, void *p), cudaIpcCloseMemHandle(void *p);
int cudaIpcOpenMemHandle(void **to, struct ipc_handle handle, unsigned flags);
int cudaIpcGetEventHandle(struct ipc_handle *to, struct event *event);
int cudaIpcOpenEventHandle(struct event **to, struct ipc_handle handle);

/* stream.c, capture.c */
int cudaStreamCreateWithPriority(struct stream **to, unsigned flags, int priority);
int cudaStreamDestroy(struct stream *s), cudaStreamSynchronize(struct stream *s),
	cudaStreamQuery(struct stream *s);
int cudaStreamWaitEvent(struct stream *s, struct event *event, unsigned flags);
int cudaStreamGetFlags(struct stream *s, unsigned *to), cudaStreamGetPriority(struct stream *s, int *to);
int cudaStreamGetId(struct stream *s, unsigned long long *to);
int cudaStreamSetAttribute(struct stream *s, int id, const struct hint *value);
int cudaStreamGetAttribute(struct stream *s, int id, struct hint *value);
int cudaStreamCopyAttributes(struct stream *to, struct stream *from);
int cudaEventCreateWithFlags(struct event **to, unsigned flags), cudaEventDestroy(struct event *event);
int cudaEventRecordWithFlags(struct event *event, struct stream *s, unsigned flags);
int cudaEventSynchronize(struct event *event), cudaEventQuery(struct event *event);
int cudaEventElapsedTime(float *ms, struct event *from, struct event *to);
int cudaStreamBeginCapture(struct stream *s, int mode),
	cudaStreamEndCapture(struct stream *s, struct cuda_graph **to);
int cudaStreamIsCapturing(struct stream *s, int *to), cudaThreadExchangeStreamCaptureMode(int *mode);
int cudaStreamGetCaptureInfo_v2(struct stream *s, int *to, unsigned long long *id, struct cuda_graph **graph,
	struct graph_node *const **last, size_t *n_last);
int cudaStreamGetCaptureInfo_v3(struct stream *s, int *to, unsigned long long *id, struct cuda_graph **graph,
	struct graph_node *const **last, const void **data, size_t *n_last);

int cudaStreamBeginCaptureToGraph(struct stream *s, struct cuda_graph *g, struct graph_node *const *after,
	const void *data, size_t n, int mode);
int cudaStreamUpdateCaptureDependencies_v2(
	struct stream *s, struct graph_node *const *node, const void *data, size_t n, unsigned flags);

/* graph.c, graph_edges.c, graph_exec.c, graph_node.c, condition.c */
#define NODE_PLACE struct graph_node **to, struct cuda_graph *g, struct graph_node *const *after, size_t n
#define NODE_PLACE_DATA \
	struct graph_node **to, struct cuda_graph *g, struct graph_node *const *after, const void *data, \
		size_t n
int cudaGraphCreate(struct cuda_graph **to, unsigned flags), cudaGraphDestroy(struct cuda_graph *g);
int cudaGraphClone(struct cuda_graph **to, const struct cuda_graph *g);
int cudaGraphNodeFindInClone(struct graph_node **to, const struct graph_node *n, const struct cuda_graph *g);
int cudaGraphAddKernelNode(NODE_PLACE, const struct kernel_params *p);
int cudaGraphAddMemcpyNode(NODE_PLACE, const struct copy_3d *p);
int cudaGraphAddMemsetNode(NODE_PLACE, const struct fill_2d *p);
int cudaGraphAddHostNode(NODE_PLACE, const struct host_call *p);
int cudaGraphAddMemAllocNode(NODE_PLACE, struct allocation_params *p);
int cudaGraphAddMemFreeNode(NODE_PLACE, void *p);
int cudaGraphMemAllocNodeGetParams(struct graph_node *n, struct allocation_params *p);
int cudaGraphMemFreeNodeGetParams(struct graph_node *n, void **p);
int cudaGraphAddEmptyNode(NODE_PLACE);
int cudaGraphAddChildGraphNode(NODE_PLACE, struct cuda_graph *child);
int cudaGraphAddEventRecordNode(NODE_PLACE, struct event *event);
int cudaGraphAddEventWaitNode(NODE_PLACE, struct event *event);
int cudaGraphDestroyNode(struct graph_node *n);
int cudaGraphDebugDotPrint(const struct cuda_graph *g, const char *path, unsigned flags);
int cudaGraphGetNodes(const struct cuda_graph *g, struct graph_node **to, size_t *n);
int cudaGraphGetRootNodes(const struct cuda_graph *g, struct graph_node **to, size_t *n);
int cudaGraphNodeGetType(struct graph_node *n, int *to);
int cudaGraphKernelNodeGetParams(struct graph_node *n, struct kernel_params *p);
int cudaGraphKernelNodeSetParams(struct graph_node *n, const struct kernel_params *p);
struct hint;
int cudaGraphKernelNodeGetAttribute(struct graph_node *n, int id, struct hint *value);
int cudaGraphKernelNodeSetAttribute(struct graph_node *n, int id, const struct hint *value);
int cudaGraphKernelNodeCopyAttributes(struct graph_node *to, struct graph_node *from);
int cudaGraphChildGraphNodeGetGraph(struct graph_node *n, struct cuda_graph **to);
int cudaGraphGetEdges_v2(
	const struct cuda_graph *g, struct graph_node **from, struct graph_node **to, void *data, size_t *n);
int cudaGraphNodeGetDependencies_v2(struct graph_node *of, struct graph_node **to, void *data, size_t *n);
int cudaGraphNodeGetDependentNodes_v2(struct graph_node *of, struct graph_node **to, void *data, size_t *n);
int cudaGraphAddDependencies_v2(struct cuda_graph *g, struct graph_node *const *from,
	struct graph_node *const *to, const void *data, size_t n);
int cudaGraphRemoveDependencies_v2(struct cuda_graph *g, struct graph_node *const *from,
	struct graph_node *const *to, const void *data, size_t n);
int cudaGraphInstantiateWithFlags(
	struct graph_exec **to, const struct cuda_graph *g, unsigned long long flags);
int cudaGraphInstantiateWithParams(struct graph_exec **to, const struct cuda_graph *g, void *params);
int cudaGraphExecDestroy(struct graph_exec *x),
	cudaGraphExecGetFlags(struct graph_exec *x, unsigned long long *to);
int cudaGraphLaunch(struct graph_exec *x, struct stream *s),
	cudaGraphUpload(struct graph_exec *x, struct stream *s);
int cudaGraphExecUpdate(struct graph_exec *x, const struct cuda_graph *g, void *third, int *fourth);
int cudaGraphExecKernelNodeSetParams(
	struct graph_exec *x, const struct graph_node *n, const struct kernel_params *p);
int cudaGraphNodeSetEnabled(struct graph_exec *x, const struct graph_node *of, unsigned enabled);
int cudaGraphNodeGetEnabled(struct graph_exec *x, const struct graph_node *of, unsigned *to);
int cudaGraphAddNode_v2(NODE_PLACE_DATA, struct node_params *p);
int cudaGraphNodeSetParams(struct graph_node *n, const struct node_params *p);
int cudaGraphExecNodeSetParams(struct graph_exec *x, const struct graph_node *n, const struct node_params *p);
int cudaGraphConditionalHandleCreate(
	uint64_t *to, const struct cuda_graph *g, unsigned first, unsigned flags);
int cudaGraphMemcpyNodeSetParams(struct graph_node *n, const struct copy_3d *p);
int cudaGraphExecMemcpyNodeSetParams(
	struct graph_exec *x, const struct graph_node *n, const struct copy_3d *p);
int cudaGraphMemsetNodeGetParams(struct graph_node *n, struct fill_2d *p);
int cudaGraphMemsetNodeSetParams(struct graph_node *n, const struct fill_2d *p);
int cudaGraphExecMemsetNodeSetParams(
	struct graph_exec *x, const struct graph_node *n, const struct fill_2d *p);
int cudaGraphHostNodeGetParams(struct graph_node *n, struct host_call *p);
int cudaGraphEventRecordNodeGetEvent(struct graph_node *n, struct event **to);
int cudaGraphEventRecordNodeSetEvent(struct graph_node *n, struct event *event);
int cudaGraphExecEventRecordNodeSetEvent(
	struct graph_exec *x, const struct graph_node *n, struct event *event);
int cudaGraphEventWaitNodeGetEvent(struct graph_node *n, struct event **to);
int cudaGraphEventWaitNodeSetEvent(struct graph_node *n, struct event *event);
int cudaGraphExecEventWaitNodeSetEvent(struct graph_exec *x, const struct graph_node *n, struct event *event);
int cudaGraphHostNodeSetParams(struct graph_node *n, const struct host_call *p);
int cudaGraphExecHostNodeSetParams(
	struct graph_exec *x, const struct graph_node *n, const struct host_call *p);
int cudaGraphExecChildGraphNodeSetParams(
	struct graph_exec *x, const struct graph_node *n, struct cuda_graph *g);
int cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *to);
int cudaDeviceSetGraphMemAttribute(int device, int attribute, const uint64_t *value);
int cudaDeviceGraphMemTrim(int device);

/* log.c */
int cudaLogsRegisterCallback(void (*call)(void *, int, char *, size_t), void *arg, const void **handle);
int cudaLogsUnregisterCallback(const void *handle), cudaLogsCurrent(unsigned *to, unsigned flags);
int cudaLogsDumpToFile(unsigned *from, const char *path, unsigned flags);
int cudaLogsDumpToMemory(unsigned *from, char *to, size_t *size, unsigned flags);

/* user_object.c */
int cudaUserObjectCreate(
	struct user_object **to, void *data, void (*destroy)(void *), unsigned n, unsigned flags);
int cudaUserObjectRetain(struct user_object *o, unsigned n),
	cudaUserObjectRelease(struct user_object *o, unsigned n);
int cudaGraphRetainUserObject(struct cuda_graph *g, struct user_object *o, unsigned n, unsigned flags);
int cudaGraphReleaseUserObject(struct cuda_graph *g, struct user_object *o, unsigned n);

#endif
