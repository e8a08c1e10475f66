import CDiskFloor
import CTransportFloor
import ImageTransportCurl

/// Measures the memory of one transport over many requests.
enum TransportSoak {
    private static let sampleCount = 20

    /// Takes a sample after each twentieth of the requests. The first follows a warm-up of a twentieth.
    @concurrent
    static func run(requests: Int) async throws -> [Figure] {
        let origin = try LoopbackOrigin()
        let transport = CurlTransport()
        let step = max(1, requests / sampleCount)
        var samples: [Figure] = []
        for index in 0...sampleCount {
            try await CurlTransportContender.fetch(step, from: origin.port, with: transport)
            samples.append(
                Figure(
                    name: "resident after \(index * step) requests", value: Double(floor_resident_bytes()) / 1e6,
                    unit: "MB",
                    beside: [Figure.Other(value: Double(floor_heap_bytes()) / 1e6, name: "allocated with malloc")]))
        }
        return samples
    }
}
